import { beforeAll, describe, expect, test } from 'vitest';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { createLog } from '../log/log.ts';
import { IdentityExpiry } from './identity-expiry.ts';

const startMs = Date.parse('2030-01-01T00:00:00Z');
const yearMs = 365 * 86_400_000;
let root: string;
beforeAll(async () => {
  root = (await createMeshCa()).rootCertificate;
});

/** A clock under the test's hand: each sleep ends when the test moves on. */
function bench() {
  let nowMs = startMs;
  let wake: () => void = () => undefined;
  const lines: string[] = [];
  const told: boolean[] = [];
  const expiry = new IdentityExpiry({
    log: createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) }),
    observer: { expired: (isExpired) => void told.push(isExpired) },
    clock: {
      wallMs: () => nowMs,
      monotonicMs: () => nowMs,
      random: () => 0,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve());
        }),
    },
  });
  const jumpTo = (ms: number): void => {
    nowMs = ms;
    wake();
  };
  return { expiry, lines, told, jumpTo };
}

function endingAt(notAfterMs: number): SecretSnapshot {
  const texts = { certificateChain: '', privateKey: '', rootCertificates: root };
  return { ...texts, spiffeId: '', serialNumber: '', notAfterMs };
}

describe('IdentityExpiry', () => {
  test('reports an expired identity once, until there is a new one', async () => {
    const { expiry, lines, told, jumpTo } = bench();
    expect(expiry.problem).toBeUndefined();
    expiry.take(endingAt(startMs + 60_000));
    jumpTo(startMs + 60_000);
    expect(expiry.problem).toBeUndefined();
    jumpTo(startMs + 60_001);
    await eventually(() => expect(told).toEqual([false, true]));
    expect(expiry.problem).toBe("the workload's certificate expired at 2030-01-01T00:01:00.000Z");
    expect(lines.join('')).toMatch(/error.*the workload's certificate expired at .*: peers refuse mutual TLS/);
    expiry.take(endingAt(startMs + 120_000));
    expect(expiry.problem).toBeUndefined();
    expect(told).toEqual([false, true, false]);
    expect(lines).toHaveLength(1);
  });

  test('an identity that was replaced in time is never reported as expired', async () => {
    const { expiry, lines, told, jumpTo } = bench();
    expiry.take(endingAt(startMs + 60_000));
    expiry.take(endingAt(startMs + yearMs));
    jumpTo(startMs + 70_000);
    await new Promise(setImmediate);
    expect({ problem: expiry.problem, told, lines }).toEqual({ problem: undefined, told: [false, false], lines: [] });
    expiry.close();
  });

  test('counts the end of the last root too: no certificate of a peer outlives it', () => {
    const { expiry, jumpTo } = bench();
    expiry.take(endingAt(startMs + 20 * yearMs));
    jumpTo(startMs + 15 * yearMs);
    expect(expiry.problem).toMatch(/^the last of the mesh's root certificates expired at /);
    expiry.close();
  });
});
