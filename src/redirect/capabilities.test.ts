import { describe, expect, test } from 'vitest';
import { hasCapability } from './capabilities.ts';

describe('hasCapability', () => {
  test.each([
    ['CapEff:\t0000000000001000\n', true, false],
    ['CapEff:\t0000000000002000\n', false, true],
    ['CapBnd:\t0000000000003000\nCapEff:\t00000000a80405fb\n', false, false],
    ['CapEff:\t000001ffffffffff\n', true, true],
    ['', true, true],
  ])('reads %j: NET_ADMIN %s, NET_RAW %s', (status, admin, raw) => {
    expect(hasCapability('NET_ADMIN', 'CapEff', status)).toBe(admin);
    expect(hasCapability('NET_RAW', 'CapEff', status)).toBe(raw);
  });
});
