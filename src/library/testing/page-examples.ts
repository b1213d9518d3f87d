/** A program of a page, and what the page says that it prints. */
export interface PageExample {
  readonly code: string;
  readonly output: string;
}

/** The programs of a page on which a block with their output follows; exactly four, in their order. */
export function blocksOf(page: string): readonly [PageExample, PageExample, PageExample, PageExample] {
  const blocks = [
    ...page.matchAll(/```js\n((?:(?!```)[\s\S])*)```\n(?:(?!```)[\s\S])*```text\n((?:(?!```)[\s\S])*)```/g),
  ];
  const [first, second, third, fourth, ...rest] = blocks.map(([, code = '', output = '']) => ({ code, output }));
  if (first === undefined || second === undefined || third === undefined || fourth === undefined || rest.length > 0) {
    throw new Error(`the page has ${blocks.length} programs with an output, expected 4`);
  }
  return [first, second, third, fourth];
}
