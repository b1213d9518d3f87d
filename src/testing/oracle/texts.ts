/** Whether a value of a rule (`*`, `text*`, `*text`, or the text itself) covers a text. */
export function covers(value: string, text: string): boolean {
  if (value === '*') return text !== '';
  if (value.startsWith('*')) return text.endsWith(value.slice(1));
  if (value.endsWith('*')) return text.startsWith(value.slice(0, -1));
  return value === text;
}

/** Whether a path template covers a path: `{*}` is one segment, `{**}` one or more, and at its end any text. */
export function templateTakes(template: string, path: string): boolean {
  const parts = template.split(/(\{\*\*?\})/);
  const source = parts.map((part, i) => {
    if (part === '{*}') return '[^/]+';
    if (part === '{**}') return i === parts.length - 2 && parts.at(-1) === '' ? '.*' : '[^/]+(?:/[^/]+)*';
    return part.replaceAll(/[^A-Za-z0-9/]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`).test(path);
}

const canonical = /^([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\.?(?::\d+)?$/;

/** Whether the authority of a request names a host in one way alone. */
export function isCanonical(authority: string): boolean {
  return canonical.test(authority);
}

/** Its host in lower case, without port and last dot. */
export function nameOfAuthority(authority: string): string {
  return canonical.exec(authority)?.[1]?.toLowerCase() ?? '';
}
