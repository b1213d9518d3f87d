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
