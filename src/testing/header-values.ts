import { both, type Edge, type Line, text } from './head-edges.ts';

/** Headers whose lines Envoy joins with commas, with semicolons or not at all. */
export const routedHeaders = ['accept', 'authorization', 'cookie', 'te', 'x-forwarded-host', 'x-other'] as const;

/** Each of them with one line or several. */
export function headerValues(): readonly Edge[] {
  const lists = [['a'], ['a', 'b'], ['b', 'a'], ['a', ''], ['', 'a'], ['', ''], ['']];
  return routedHeaders.flatMap((name) =>
    lists.flatMap((list) => {
      const change = { headers: list.map((value): Line => [name, value]) };
      const told = `${name} ${JSON.stringify(list)}`;
      return name === 'te' ? [text(told, change)] : both(told, change);
    }),
  );
}
