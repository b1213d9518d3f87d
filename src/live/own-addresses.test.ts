import { describe, expect, test } from 'vitest';
import { findOwnAddresses, proxyAddresses } from './own-addresses.ts';

const nobody = new AbortController().signal;
const at = (address: string) => [{ address, internal: false }];

describe('findOwnAddresses', () => {
  test('does not wait where there is an address', async () => {
    let waits = 0;
    const found = await findOwnAddresses({ signal: nobody, onWait: () => (waits += 1), list: () => at('10.0.0.1') });
    expect([found, waits]).toEqual([['10.0.0.1'], 0]);
  });

  test('waits for the first address, and says so once', async () => {
    let looks = 0;
    let waits = 0;
    const list = () => {
      looks += 1;
      return at(looks < 3 ? '0.0.0.0' : 'fd00::7');
    };
    expect(await findOwnAddresses({ signal: nobody, onWait: () => (waits += 1), list })).toEqual(['fd00::7']);
    expect([looks, waits]).toEqual([3, 1]);
  });

  test('uses loopback when no address has appeared in time', async () => {
    const found = await findOwnAddresses({ signal: nobody, onWait: () => {}, list: () => [], patienceMs: 150 });
    expect(found).toEqual(['127.0.0.1', '::1']);
  });

  test('ends at once with the signal', async () => {
    const stop = new AbortController();
    const began = performance.now();
    await findOwnAddresses({ signal: stop.signal, onWait: () => stop.abort(), list: () => [], patienceMs: 120_000 });
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});

describe('proxyAddresses', () => {
  test('is the one that is named, or those of the machine, loopback left out', () => {
    expect(proxyAddresses('10.0.0.1')).toEqual(['10.0.0.1']);
    expect(proxyAddresses(undefined)).not.toContain('127.0.0.1');
  });
});
