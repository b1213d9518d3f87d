import { describe, expect, test } from 'vitest';
import { StreamLimits } from './stream-limits.ts';

describe('StreamLimits', () => {
  const ownerOf = (name: string, account = name) => ({
    proxy: { namespace: 'shop', name, serviceAccount: account },
    identity: account,
    envoyVersion: '',
  });

  test('reads ACKs and NACKs without a limit', () => {
    const stream = new StreamLimits().open(ownerOf('web'), () => 0);
    for (let i = 0; i < 20_000; i++) expect(stream?.pace(200, true)).toBe(0);
  });

  test('limits the rate of a stream that sends requests without end, and reads those of others at once', () => {
    const limits = new StreamLimits();
    const [busy, other] = [limits.open(ownerOf('busy'), () => 0), limits.open(ownerOf('other'), () => 0)];
    for (let i = 0; i < 1_000; i++) expect(busy?.pace(200, false)).toBe(0);
    expect(busy?.pace(200, false)).toBe(20);
    expect(other?.pace(200, false)).toBe(0);
  });

  test('counts a large message as several requests, also an ACK', () => {
    const stream = new StreamLimits().open(ownerOf('web'), () => 0);
    for (let i = 0; i < 3; i++) expect(stream?.pace(4 * 1_048_576, true)).toBe(0);
    expect(stream?.pace(4 * 1_048_576, true)).toBeGreaterThan(0);
  });

  test('limits the streams of one identity together, and allows more requests later', () => {
    let now = 0;
    const limits = new StreamLimits();
    const streams = Array.from({ length: 20 }, (_, i) => limits.open(ownerOf(`web-${i}`, 'web'), () => now));
    const ask = () => Math.max(...streams.map((stream) => stream?.pace(200, false) ?? 0));
    for (let i = 0; i < 250; i++) expect(ask()).toBe(0);
    expect(ask()).toBe(80);
    expect(limits.open(ownerOf('other'), () => now)?.pace(200, false)).toBe(0);
    now = 60_000;
    expect(ask()).toBe(0);
  });
});
