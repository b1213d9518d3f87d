/** A message's parts by name, as the logger gives them. */
export type LineParts = Readonly<Record<string, unknown>>;

/**
 * Time, level, scope (but for `default`), caller, message, then `key=value` pairs, tab-separated; a stack trace on lines
 * of its own. Further lines of a message are indented, so that none looks like a message.
 */
export function consoleLine({ level, time, scope, caller, msg, stack, ...fields }: LineParts): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) => `${key}=${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const message = String(msg).split('\n').map(escaped).join('\n    ');
  const columns = [time, level, scope, caller, message, pairs.length > 0 ? pairs.join(' ') : undefined];
  const line = columns.filter((column) => column !== undefined).join('\t');
  return `${line}\n${stack === undefined ? '' : `${stack}\n`}`;
}

/** One object: `level`, `time`, `scope` (but for `default`), `caller`, `msg`, further fields, `stack`. */
export function jsonLine({ level, time, scope, caller, msg, stack, ...fields }: LineParts): string {
  return `${escaped(JSON.stringify({ level, time, scope, caller, msg, ...fields, stack }))}\n`;
}

/** As in JSON; with them the marks that turn the direction of writing around, and separators of lines. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The most bytes of a line, newline included, whatever it tells of. */
export const longestLine = 16_384;

/** The line of `parts`, whose message and then whose fields are cut until it is short enough; each cut is shown. */
export function boundedLine(parts: LineParts, form: (parts: LineParts) => string): string {
  let line = form(withCuts(parts, longestLine, longestLine));
  // Escapes take up to twelve times the place of what they stand for.
  for (let most = longestLine / 2; Buffer.byteLength(line) > longestLine && most >= 1; most = Math.floor(most / 2)) {
    line = form(withCuts(parts, most, Math.max(Math.floor(most / 8), 1)));
  }
  return line;
}

function withCuts(parts: LineParts, ofMessage: number, ofField: number): LineParts {
  const cutPart = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => [
    name,
    cutValue(value, name === 'msg' || name === 'stack' ? ofMessage : ofField),
  ];
  return Object.fromEntries(Object.entries(parts).map(cutPart));
}

function cutValue(value: unknown, most: number): unknown {
  if (typeof value === 'string') {
    const more = value.length - most;
    return more > 0 ? `${value.slice(0, most)}… (${more} more characters)` : value;
  }
  if (!Array.isArray(value)) return value;
  const kept = value.slice(0, Math.max(Math.floor(most / 64), 1)).map((item) => cutValue(item, most));
  return kept.length < value.length ? [...kept, `… (${value.length - kept.length} more)`] : kept;
}
