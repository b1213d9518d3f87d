import { describe, expect, test } from 'vitest';
import { isBlankText } from './blank.ts';
import { cutDocuments } from './cut.ts';

describe('isBlankText', () => {
  test.each([
    ...[
      '',
      '\n',
      ' \t\r\n',
      '# a',
      '# a\n\n  # b',
      '---',
      '---\n',
      '--- # a\n...\n',
      '\uFEFF# a',
      '\uFEFF',
      '---\n---\n',
    ],
    ...['a', '---a', '--- a', '....', '%YAML 1.2\n---\n', '# a\nb: 1', '~', '{}', '... b'],
  ])('says of %j what cutting its documents says', (text) => {
    expect(isBlankText(text)).toBe(cutDocuments(text).length === 0);
  });
});
