import { describe, expect, test } from 'vitest';
import { plainWords } from './plain-words.ts';
import { workloadToken } from './testing/test-cloud.ts';

describe('plainWords', () => {
  test.each<[string, string, readonly string[], string]>([
    ['a secret that is repeated', 'no: s3cret, s3cret', ['s3cret'], 'no: [redacted], [redacted]'],
    ['a web token', `bad token ${workloadToken()}!`, [], 'bad token [redacted]!'],
    ['half a web token', 'bad eyJhbGciOiJub', [], 'bad [redacted]'],
    ['a long word', `bad ya29.${'a'.repeat(60)} here`, [], 'bad [redacted] here'],
    [
      'a word with digits',
      'no ya29.a0ARrdaM8_abcdef for gserviceaccount.com',
      [],
      'no [redacted] for gserviceaccount.com',
    ],
    ['lines and control characters', '{\r\n\t"error":\u001b[31m 4\n}', [], '{ "error": [31m 4 }'],
  ])('leaves out %s', (_name, text, secrets, shown) => {
    expect(plainWords(text, secrets)).toBe(shown);
  });

  test('cuts what is long', () => {
    expect(plainWords('word '.repeat(100))).toHaveLength(256);
  });

  test('needs little time for hostile words', () => {
    const started = performance.now();
    plainWords('a.'.repeat(30_000));
    plainWords(`${'a'.repeat(39)}.`.repeat(1_500));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
