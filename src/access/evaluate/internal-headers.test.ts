import { describe, expect, test } from 'vitest';
import { HeaderLines } from '../model/header-lines.ts';
import { removeInternalHeaders } from './internal-headers.ts';

const lines = [
  ['x-envoy-retry-on', '5xx'],
  ['x-envoy-original-path', '/a'],
  ['x-envoy-attempt-count', '1'],
] as const;

describe('removeInternalHeaders', () => {
  test.each([
    [false, ['x-envoy-original-path', 'x-envoy-attempt-count']],
    [true, ['x-envoy-attempt-count']],
  ])('removes what nobody outside may tell Envoy; where the mesh begins: %s', (isEdge, left) => {
    const headers = new HeaderLines(lines);
    removeInternalHeaders(headers, isEdge);
    expect(headers.freeze().map(([name]) => name)).toEqual(left);
  });

  test('makes it known of a logged request that it has none of them', () => {
    const headers = new HeaderLines([], []);
    removeInternalHeaders(headers, false);
    expect([headers.isTold('x-envoy-retry-on'), headers.isTold('x-envoy-original-path')]).toEqual([true, false]);
  });
});
