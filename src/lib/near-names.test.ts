import { describe, expect, test } from 'vitest';
import { NearNames } from './near-names.ts';
import { nearest } from './nearest.ts';

const many = Array.from({ length: 2000 }, (_, i) => `service-${i.toString(36)}-of-the-shop`);

describe('NearNames', () => {
  test('finds among few names what nearest finds', () => {
    const names = ['payments', 'orders', 'Cart'];
    for (const text of ['paymetns', 'order', 'cart', 'crat', 'basket', 'pyamentz'])
      expect(new NearNames(names).nearest(text), text).toBe(nearest(text, names));
  });

  test.each(['payment', 'paymentss', 'paymemts', 'apyments', 'Payments'])(
    'finds payments for %s among many',
    (text) => {
      expect(new NearNames([...many, 'payments']).nearest(text)).toBe('payments');
    },
  );

  test.each(['paymen', 'apymenst', 'paxxents', 'refunds', ''])('finds nothing for "%s" among many', (text) => {
    expect(new NearNames([...many, 'payments']).nearest(text)).toBeUndefined();
  });

  test('finds the first of many names that are as near', () => {
    expect(new NearNames([...many, 'zone-b', 'zone-a']).nearest('zone-c')).toBe('zone-b');
  });

  test('reads its names once, however many it is asked for', () => {
    let read = 0;
    function* counted(): Generator<string> {
      for (const name of many) {
        read += 1;
        yield name;
      }
    }
    const names = new NearNames(counted());
    for (const name of many) expect(names.nearest(name.replace('shop', 'shpo'))).toBe(name);
    expect(read).toBe(many.length);
  });
});
