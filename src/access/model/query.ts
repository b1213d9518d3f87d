import { splitQuery } from './normalize-path.ts';

/** Values of a parameter in the query of a path, in their order, each unescaped as Envoy does: `+` stays. */
export function queryValues(path: string, name: string): readonly string[] {
  const query = splitQuery(path)[1].slice(1);
  return query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = at === -1 ? pair : pair.slice(0, at);
    return unescaped(key) === name && pair !== '' ? [at === -1 ? '' : unescaped(pair.slice(at + 1))] : [];
  });
}

/** Each escape in place of its byte; what begins none stays. */
export function unescaped(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
