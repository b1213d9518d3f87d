import { describe, expect, test } from 'vitest';
import { cleanErrorMessage } from './message.ts';

describe('cleanErrorMessage', () => {
  test.each([
    ['line\nbreaks\r\n and  blanks', 'line breaks and blanks'],
    ['goo.gle/debugstr Failed to load', 'Failed to load'],
    ['key -----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY----- end', 'key [PEM] end'],
    ['-----BEGIN EC PRIVATE KEY-----\nMIG cut', '[PEM]'],
    [`${' '.repeat(65_536)}what comes after so much is not read`, ''],
    ['x'.repeat(2000), `${'x'.repeat(1000)}…`],
  ])('makes one line of %j', (message, line) => {
    expect(cleanErrorMessage(message)).toBe(line);
  });
});
