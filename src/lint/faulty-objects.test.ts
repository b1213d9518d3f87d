import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../diagnostics/bag.ts';
import { faultyObjects } from './faulty-objects.ts';

const objectOf = (name: string, tag = ''): string =>
  `# of the shop\n${tag}apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: shop}\nspec: {ports: []}\n`;

/** An error at an offset of the file; `onRead` is told whenever somebody asks where it is. */
const errorAt = (start: number, onRead = (): void => undefined): Diagnostic => ({
  ...{ code: 'unknown-field', severity: 'error', message: 'wrong', related: [] },
  get span() {
    onRead();
    return { file: 'a.yaml', start, end: start };
  },
});

describe('faultyObjects', () => {
  test.each([
    ['its first character', 'apiVersion'],
    ['its last value', 'ports'],
  ])('finds the object of an error at %s, whatever stands around it', (_, text) => {
    const file = { path: 'a.yaml', text: ['a', 'b', 'c'].map((name) => objectOf(name)).join('---\n') };
    const second = file.text.indexOf(text, file.text.indexOf('---'));
    expect(faultyObjects([file], [errorAt(second)])?.evidence.map(({ name }) => name)).toEqual(['b']);
    const items = `apiVersion: v1\nkind: List\nitems:\n${['a', 'b']
      .map(
        (name) =>
          `- ${objectOf(name)
            .replace(/^#.*\n/, '')
            .trimEnd()
            .replaceAll('\n', '\n  ')}\n`,
      )
      .join('')}`;
    const last = items.lastIndexOf(text);
    const found = faultyObjects([{ path: 'a.yaml', text: items }], [errorAt(last)]);
    expect(found?.evidence.map(({ name }) => name)).toEqual(['b']);
  });

  test('knows of no object where an error is in none', () => {
    expect(faultyObjects([{ path: 'a.yaml', text: objectOf('a') }], [errorAt(2)])).toBeUndefined();
  });

  test('compares each of many errors with a few objects alone', () => {
    const texts = Array.from({ length: 500 }, (_, i) => objectOf(`a${i}`));
    const file = { path: 'a.yaml', text: texts.join('---\n') };
    let read = 0;
    const starts = [...file.text.matchAll(/apiVersion/g)].map(({ index }) => index);
    const errors = starts.map((start) => errorAt(start, () => void read++));
    expect(faultyObjects([file], errors)?.evidence).toHaveLength(500);
    expect(read).toBeLessThan(500 * 20);
  });
});
