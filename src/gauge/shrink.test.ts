import { describe, expect, test } from 'vitest';
import { smallestPart, smallestValue } from './shrink.ts';

describe('smallestPart', () => {
  const all = Array.from({ length: 20 }, (_, i) => i);

  test.each([
    ['nothing, where nothing is needed', []],
    ['one of many', [7]],
    ['two that are far apart', [0, 19]],
    ['all, where all are needed', all],
  ])('leaves %s', async (_name, needed) => {
    expect(await smallestPart(all, async (part) => needed.every((one) => part.includes(one)))).toEqual(needed);
  });

  test('leaves out what can go only when another one has gone', async () => {
    // Each needs the one behind it.
    const holds = async (part: readonly number[]): Promise<boolean> =>
      part.every((one) => one === 5 || part.includes(one + 1)) && part.includes(5);
    expect(await smallestPart([3, 4, 5], holds)).toEqual([5]);
  });
});

describe('smallestValue', () => {
  const value = {
    kind: 'Rule',
    spec: { paths: ['/a', '/b', '/c'], methods: ['GET'], when: [{ key: 'x', values: [1] }] },
  };

  test('leaves out every field and element that is not needed', async () => {
    const holds = async ({ spec }: typeof value): Promise<boolean> => spec?.paths?.includes('/b') === true;
    expect(await smallestValue(value, holds)).toEqual({ spec: { paths: ['/b'] } });
  });

  test('leaves alone what is kept', async () => {
    const smallest = await smallestValue(
      value,
      async () => true,
      (path) => path[0] === 'kind' || path.length === 1,
    );
    expect(smallest).toEqual({ kind: 'Rule', spec: {} });
  });

  test('asks of nothing but what is there', async () => {
    const asked: string[] = [];
    await smallestValue({ a: { b: 1 } }, async (one) => {
      asked.push(JSON.stringify(one));
      return true;
    });
    expect(asked).toEqual(['{}']);
  });
});
