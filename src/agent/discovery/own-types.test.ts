import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { OwnTypes } from './own-types.ts';

describe('OwnTypes', () => {
  test('asks for one type after the other, on each stream', () => {
    const types = new OwnTypes(['old', 'new']);
    for (const _ of ['first stream', 'second stream']) {
      types.begin();
      expect([types.next(), types.next()]).toEqual(['old', undefined]);
      types.answered('new');
      expect(types.next()).toBeUndefined();
      types.answered('old');
      expect([types.next(), types.next()]).toEqual(['new', undefined]);
      expect(types.ended(status.UNAVAILABLE)).toBe(false);
    }
  });

  test('does not ask again for a type that ends the stream, nor for newer ones', () => {
    const types = new OwnTypes(['old', 'middle', 'new']);
    types.begin();
    types.next();
    types.answered('old');
    types.next();
    expect(types.ended(status.INVALID_ARGUMENT)).toBe(true);
    types.begin();
    expect(types.next()).toBe('old');
    types.answered('old');
    expect(types.next()).toBeUndefined();
    expect(types.ended(status.INVALID_ARGUMENT)).toBe(false);
  });
});
