import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { openAuthority } from './open-authority.ts';

describe('openAuthority', () => {
  let place: string;
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'renewal-'));
  });
  afterEach(() => rm(place, { recursive: true }));

  test('renews its own root with the same key while the program runs, and does not replace a missing root by a new one', async () => {
    let nowMs = Date.now();
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const refused = vi.fn();
    const { authority, close } = await openAuthority({
      folder: join(place, 'ca'),
      trustDomain: 'cluster.local',
      keyAlgorithm: 'ECDSA',
      clock: () => nowMs,
      log,
      refused,
      renewalCheckMs: 20,
    });
    const first = authority.signer;
    nowMs += 8.1 * 365 * 86_400_000;
    await eventually(() => expect(authority.signer).not.toBe(first));
    expect(authority.signer.keyId).toEqual(first.keyId);
    expect([...authority.signer.rootFingerprints]).toContain(first.rootFingerprint);
    const second = authority.signer;
    await rm(join(place, 'ca/self-signed-ca.pem'));
    await eventually(() => expect(refused).toHaveBeenCalled());
    expect(authority.signer).toBe(second);
    await expect(stat(join(place, 'ca/self-signed-ca.pem'))).rejects.toMatchObject({ code: 'ENOENT' });
    close();
  });
});
