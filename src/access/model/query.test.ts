import { expect, test } from 'vitest';
import { queryValues } from './query.ts';

test.each([
  ['/x?v=%32', ['2'], ['%32']],
  ['/x?%76=2', ['2'], []],
  ['/x?v=3&a&v=2+', ['3', '2+'], ['3', '2+']],
  ['/x?v', [''], ['']],
  ['/x?', [], []],
  ['/x', [], []],
])(
  'values of the parameter v in %s, where tokens are looked for and where a route is chosen',
  (path, ofTokens, ofRoutes) => {
    expect(queryValues(path, 'v', { unescapes: true })).toEqual(ofTokens);
    expect(queryValues(path, 'v', { unescapes: false })).toEqual(ofRoutes);
  },
);
