import { describe, expect, test } from 'vitest';
import { automaticAddresses } from './automatic-addresses.ts';

const names = Array.from({ length: 3_000 }, (_, i) => `s${i}.global`);

describe('automaticAddresses', () => {
  test('gives each name an address of its own, the same one whatever the order', () => {
    const given = automaticAddresses(names, new Set());
    expect(new Set(given.values()).size).toBe(names.length);
    expect(automaticAddresses([...names].reverse(), new Set())).toEqual(given);
    for (const address of given.values()) expect(address).toMatch(/^240\.240\.\d{1,3}\.\d{1,3}$/);
  });

  test('gives no address that somebody has', () => {
    const [wanted = ''] = automaticAddresses(['a.global'], new Set()).values();
    const [other] = automaticAddresses(['a.global'], new Set([wanted])).values();
    expect(other).toMatch(/^240\.240\./);
    expect(other).not.toBe(wanted);
  });

  test('leaves half of the block free', () => {
    const many = Array.from({ length: 40_000 }, (_, i) => `s${i}.global`);
    const given = automaticAddresses(many, new Set());
    expect([given.size, new Set(given.values()).size]).toEqual([32_767, 32_767]);
  });
});
