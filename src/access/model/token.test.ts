import { expect, test } from 'vitest';
import { decodeSection } from './token.ts';

// As the real Envoy was seen to do.
test.each([
  ['YWI', 'ab'],
  ['YWI=', 'ab'],
  ['YWI==', undefined],
  ['YW J\t\n\v\f\rj', 'abc'],
  ['YWJj=', undefined],
  ['YQ = =', 'a'],
  ['YQ=', undefined],
  ['YQ\0', undefined],
  ['YWJjZ', undefined],
  ['', ''],
])('%j holds %j', (section, bytes) => {
  expect(decodeSection(section)).toBe(bytes);
});
