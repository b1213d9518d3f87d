import { splitQuery } from './normalize-path.ts';

/**
 * Values of a parameter in the query of a path, in their order; `+` stays. Envoy unescapes names and values where it looks for
 * tokens, and leaves them as they are where it chooses a route (source/common/http/utility.cc).
 */
export function queryValues(
  path: string,
  name: string,
  { unescapes }: { readonly unescapes: boolean },
): readonly string[] {
  const read = unescapes ? unescaped : (text: string): string => text;
  const query = splitQuery(path)[1].slice(1);
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = at === -1 ? pair : pair.slice(0, at);
    return read(key) === name && pair !== '' ? [at === -1 ? '' : read(pair.slice(at + 1))] : [];
  });
}

/** Each escape in place of its byte; what begins none stays. */
export function unescaped(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
