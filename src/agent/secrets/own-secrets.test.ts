import { beforeAll, describe, expect, test } from 'vitest';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { contentVersion } from '../../xds/resource.ts';
import { OwnSecrets, tellExpiry } from './own-secrets.ts';

const snapshot = (certificateChain: string, rootCertificates: string): SecretSnapshot => ({
  spiffeId: 'spiffe://a/b',
  certificateChain,
  privateKey: 'key',
  rootCertificates,
  notAfterMs: 1,
  serialNumber: '1',
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('OwnSecrets', () => {
  const watched = () => {
    const seen: string[] = [];
    const own: OwnSecrets = new OwnSecrets(() =>
      seen.push(own.resources.map(({ name, version }) => `${name} ${version}`).join(', ')),
    );
    return { own, seen };
  };
  const shown = (chain: string, root: string): string =>
    `default ${contentVersion(chain, 'key')}, ROOTCA ${contentVersion(root)}`;

  test('shows the first identity, and a new certificate of the same root, at once', async () => {
    const { own, seen } = watched();
    own.take(snapshot('one', 'r1'));
    own.take(snapshot('two', 'r1'));
    await turn();
    expect(seen).toEqual([shown('one', 'r1'), shown('two', 'r1')]);
  });

  test('shows a new root a turn before the certificate that leads to it', async () => {
    const { own, seen } = watched();
    own.take(snapshot('one', 'r1'));
    own.take(snapshot('two', 'r2'));
    expect(seen).toEqual([shown('one', 'r1'), shown('one', 'r2')]);
    await turn();
    expect(seen).toEqual([shown('one', 'r1'), shown('one', 'r2'), shown('two', 'r2')]);
  });

  test('ends with the newest of two that come in one turn', async () => {
    const { own, seen } = watched();
    own.take(snapshot('one', 'r1'));
    own.take(snapshot('two', 'r2'));
    own.take(snapshot('three', 'r3'));
    await turn();
    expect(seen.at(-1)).toBe(shown('three', 'r3'));
  });
});

describe('tellExpiry', () => {
  let cas: readonly MeshCa[];
  beforeAll(async () => {
    cas = await Promise.all([createMeshCa(), createMeshCa()]);
  });

  test('reports when the certificate and the first of its roots expire', () => {
    const told: [string, number][] = [];
    const roots = cas.map((ca) => ca.rootCertificate).join('');
    tellExpiry(snapshot('', roots), { inForce: (name, ms) => told.push([name, ms]) });
    expect(told).toEqual([
      ['default', 1],
      ['ROOTCA', expect.any(Number)],
    ]);
    expect(told[1]?.[1]).toBeGreaterThan(Date.now());
  });
});
