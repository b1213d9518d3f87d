import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { parsePodInfo } from './pod-info.ts';

const read = (text: string): { readonly values: object; readonly told: string } => {
  const bag = new DiagnosticBag();
  const file = { path: 'pod/labels', text };
  const values = parsePodInfo(file, bag);
  return { values, told: format(bag.all, [file], 'text') };
};

describe('parsePodInfo', () => {
  test.each<[string, string, object]>([
    ['a line a value, sorted', 'b="2"\na="1"\n', { a: '1', b: '2' }],
    ['nothing of an empty file', '\n', {}],
    ['a value with an equals sign', 'config="a=b"', { config: 'a=b' }],
    [
      'escapes of Go',
      String.raw`x="line\nquote \" backslash \\ \u00e9 \xc3\xa9 \303\251 \U0001F600"`,
      { x: 'line\nquote " backslash \\ é é é 😀' },
    ],
  ])('reads %s', (_, text, expected) => {
    expect(read(text)).toEqual({ values: expected, told: expect.not.stringContaining('error') });
  });

  test.each([
    ['a value without quotes', 'a="1"\nb=2', '2:1'],
    ['a line without a value', 'a="1"\n\nwhat', '3:1'],
    ['an open quote', 'a="1', '1:1'],
    ['an escape that Go does not know', String.raw`a="\q"`, '1:1'],
    ['a value without a name', '="1"', '1:1'],
  ])('refuses %s', (_, text, place) => {
    expect(read(text).told).toContain(`pod/labels:${place}: error:`);
  });
});
