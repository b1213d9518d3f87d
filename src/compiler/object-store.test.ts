import { describe, expect, test } from 'vitest';
import { keyOf } from '../policy/object-key.ts';
import { namespace, pod } from '../testing/objects.ts';
import { ObjectStore } from './object-store.ts';

describe('ObjectStore', () => {
  test('holds the last version of each object until it is deleted', () => {
    const store = new ObjectStore();
    const [old, newer, other] = [pod('a/web', '10.1.0.1'), pod('a/web', '10.1.0.2'), pod('b/web', '10.1.0.3')];
    store.change([old, other].map((object) => ({ key: keyOf(object), object })));
    store.change([{ key: 'Pod/a/web', object: newer }]);
    expect(store.objects).toEqual([newer, other]);
    store.change([
      { key: 'Pod/a/web', object: undefined },
      { key: 'Pod/a/never', object: undefined },
    ]);
    expect(store.objects).toEqual([other]);
  });

  test('gives the same list until something changes', () => {
    const store = new ObjectStore();
    store.change([{ key: 'Namespace//a', object: namespace('a') }]);
    expect(store.objects).toBe(store.objects);
  });

  test('refuses an object under the key of another', () => {
    const batch = [{ key: 'Pod/a/web', object: pod('a/api', '10.1.0.1') }];
    expect(() => new ObjectStore().change(batch)).toThrow('the object Pod/a/api stands under the key Pod/a/web');
  });
});
