/** A program of a page, and what the page says that it prints. */
export interface PageExample {
  readonly code: string;
  readonly output: string;
}

type Seven<T> = readonly [T, T, T, T, T, T, T];

/** The programs of a page on which a block with their output follows; exactly seven, in their order. */
export function blocksOf(page: string): Seven<PageExample> {
  const blocks = [
    ...page.matchAll(/```js\n((?:(?!```)[\s\S])*)```\n(?:(?!```)[\s\S])*```text\n((?:(?!```)[\s\S])*)```/g),
  ];
  const [first, second, third, fourth, fifth, sixth, seventh, ...rest] = blocks.map(([, code = '', output = '']) => ({
    code,
    output,
  }));
  const all = [first, second, third, fourth, fifth, sixth, seventh];
  if (all.includes(undefined) || rest.length > 0) {
    throw new Error(`the page has ${blocks.length} programs with an output, expected 7`);
  }
  return all as unknown as Seven<PageExample>;
}
