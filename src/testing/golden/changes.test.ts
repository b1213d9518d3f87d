import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../effort.ts';
import { formatChanges, parseChanges } from './change-text.ts';
import { applyChanges, changesBetween } from './changes.ts';

const chain = (name: string, ...filters: string[]): object => ({
  name,
  filters: filters.map((filter) => ({ name: filter, config: { '@type': filter } })),
});

describe('changes', () => {
  test('at several places are listed once if the change is the same', () => {
    const base = { chains: [chain('80', 'router'), chain('443', 'tls', 'router')], timeout: '5s' };
    const value = { chains: [chain('80', 'rbac', 'router'), chain('443', 'rbac', 'router')], timeout: '0s' };
    expect(formatChanges(changesBetween(base, value))).toBe(
      [
        '@@ .chains["80"].filters[rbac]: added first',
        '@@ .chains["443"].filters[rbac]: added first',
        '+{"name": "rbac", "config": {"@type": "rbac"}}',
        '@@ .chains["443"].filters[tls]: removed',
        '@@ .timeout: changed',
        '-"5s"',
        '+"0s"',
        '',
      ].join('\n'),
    );
  });

  test('of an element that has its name in another field name the list', () => {
    const [base, value] = [[{ host: 'x' }], [{ name: 'x', field: {} }]];
    const text = formatChanges(changesBetween(base, value));
    expect(text).toBe('@@ [0].host: removed\n@@ [0].name: added first\n+"x"\n@@ [0].field: added after .name\n+{}\n');
    expect(applyChanges(base, parseChanges(text))).toEqual(value);
  });

  test('bring the value back out of the base, over their text, to the byte', () => {
    const key = fc.constantFrom('name', 'host', 'a', 'b.c', 'd"e', '7', 'f]', '__proto__');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, 0, 1, '', 'x', '2', 'y z', '- \n@@'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(
          fc.tuple(fc.constantFrom('x', '2', 'p]q', 'r"', ''), tie('value')).map(([name, field]) => ({ name, field })),
          { maxLength: 4 },
        ),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
      ),
    }));
    fc.assert(
      fc.property(value, value, (before, after) => {
        const [base, now] = [before, after].map((each) => JSON.parse(JSON.stringify(each)));
        const text = formatChanges(changesBetween(base, now));
        expect(JSON.stringify(applyChanges(base, parseChanges(text)))).toBe(JSON.stringify(now));
      }),
      runs(),
    );
  });

  test.each([
    ['a member that is not there', '@@ .b: removed\n'],
    ['a value that is another', '@@ .a: changed\n-2\n+3\n'],
    ['a neighbour that is not there', '@@ .c: added after .b\n+1\n'],
  ])('of another base are an error: %s', (_, text) => {
    expect(() => applyChanges({ a: 1 }, parseChanges(text))).toThrow('the base has not .');
  });

  test.each(['<<<<<<< ours\n', '@@ .a: moved\n+1\n', '@@ .a: added after .b.c\n+1\n'])('are not read of %j', (text) => {
    expect(() => parseChanges(text)).toThrow('not a');
  });
});
