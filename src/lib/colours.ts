/** Colours of one output: each gives the text back as it is where the output has none. */
export interface Colours {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  /** What somebody must look at. */
  readonly unsure: (text: string) => string;
  readonly strong: (text: string) => string;
}

export const noColours: Colours = { good: plain, bad: plain, unsure: plain, strong: plain };

/** Colours for a stream: at a terminal that has them, and not where `NO_COLOR` is set (https://no-color.org). */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): Colours {
  const isShown = stream.isTTY === true && !NO_COLOR && TERM !== undefined && TERM !== '' && TERM !== 'dumb';
  if (!isShown) return noColours;
  return { good: coloured(32), bad: coloured(31), unsure: coloured(33), strong: coloured(1, 22) };
}

function plain(text: string): string {
  return text;
}

/** Select Graphic Rendition of ECMA-48: on before the text, off behind it. */
function coloured(on: number, off = 39): (text: string) => string {
  return (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`);
}
