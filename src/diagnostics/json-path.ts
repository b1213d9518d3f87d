import type { JsonPath } from './span.ts';

/** `filter_chains[0].filters`, and `["a.b"]` for keys that are no identifiers; empty for the root. */
export function formatPath(path: JsonPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z_@][A-Za-z0-9_]*$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Reads what `formatPath` writes. */
export function parsePath(text: string): (string | number)[] {
  const steps = text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g);
  return [...steps].map(([whole, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? whole : (JSON.parse(quoted) as string);
  });
}
