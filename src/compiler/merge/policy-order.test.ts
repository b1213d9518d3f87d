import { describe, expect, test } from 'vitest';
import { notYetCreated } from '../../policy/object.ts';
import { peerAuthentication as policy } from '../../testing/objects.ts';
import { byAge } from './policy-order.ts';

describe('byAge', () => {
  test('puts an object without a date after those that the cluster has dated, and undated ones by their names', () => {
    const ordered = byAge([
      policy({ name: 'shop/b', createdAt: notYetCreated }, {}),
      policy({ name: 'shop/a', createdAt: notYetCreated }, {}),
      policy({ name: 'shop/z', createdAt: 2 }, {}),
      policy({ name: 'shop/y', createdAt: 1 }, {}),
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(['y', 'z', 'a', 'b']);
  });
});
