import { splitQuery } from './normalize-path.ts';

/**
 * Other ways to write a path, which a proxy or an application may take for the same: dot segments, slashes, escapes, case,
 * what follows the last segment, and parameters of segments. Those of `/admin` are in the attack corpus.
 */
export function pathSpellings(path: string): readonly string[] {
  const [bare, query] = splitQuery(path);
  const rest = bare.slice(1);
  const first = rest[0] ?? '';
  const code = first.charCodeAt(0).toString(16);
  const letters = rest === '' ? [] : [`/%${code}${rest.slice(1)}`, `/%25${code}${rest.slice(1)}`, `/%252f${rest}`];
  const spellings = [
    ...['/.', '/..', '/x/..', '/%2e', '/x/%2e%2e', '/x/.%2e'].map((before) => before + bare),
    ...['//', '///', '/%2f', '/x/..%2f', '/x%2f..%2f', '/\\', '/%5c', '/x/..\\', '/x\\..\\', '/x/..%5c'].map(
      (before) => before + rest,
    ),
    ...letters,
    `/${first.toUpperCase()}${rest.slice(1)}`,
    bare.toUpperCase(),
    ...['/', '//', '/.', '/x/..', '%2f', '%252f', '\\', '.', '%2e', '%20', '%00', ';', ';v=1', ';/'].map(
      (after) => bare + after,
    ),
    ...['/x/..;', '/..;', '/;', '/x/%2e%2e;'].map((before) => before + bare),
  ];
  return [...new Set(spellings)].filter((spelling) => spelling !== bare).map((spelling) => spelling + query);
}
