import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAuthority, type TestAuthority } from '../../src/control/testing/authorities.ts';
import { until } from '../../src/testbed/until.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { createIdentityMesh, type IdentityMesh, rootFile } from './identity-mesh.ts';
import { failuresOf, rootsOf, startCalls, untilRotated, untilWritten } from './watching.ts';

const pods = ['foo/server', 'foo/client'];
const bundle = (roots: readonly TestAuthority[]): string => roots.map(({ certificate }) => certificate).join('');

/** The files of an authority that is plugged in. */
function filesOf(signing: TestAuthority, roots: readonly TestAuthority[]): Readonly<Record<string, string>> {
  return {
    'root-cert.pem': bundle(roots),
    'ca-cert.pem': signing.certificate,
    'ca-key.pem': signing.privateKey,
    'cert-chain.pem': signing.certificate,
  };
}

describeMesh('a mesh whose root changes', () => {
  let mesh: IdentityMesh;
  let old: TestAuthority;
  let belowOld: TestAuthority;
  beforeAll(async () => {
    old = await createTestAuthority({ name: 'old' });
    belowOld = await createTestAuthority({ name: 'below old', parent: old });
    mesh = await createIdentityMesh({
      lifetime: '10s',
      graceRatio: 0.7,
      authority: filesOf(belowOld, [old]),
      roots: bundle([old]),
    });
  });
  afterAll(() => mesh?.testbed.close());

  /** Returns when the control plane signs by this authority, and every workload trusts exactly these roots. */
  async function change(signing: TestAuthority, roots: readonly TestAuthority[]): Promise<void> {
    const from = (await mesh.plane.allOutput()).length;
    for (const [name, text] of Object.entries(filesOf(signing, roots))) await mesh.plane.write(`ca/${name}`, text);
    await untilWritten(mesh.plane.log, /another certificate authority is in force/, from);
    for (const pod of pods) await mesh.give(pod, rootFile, bundle(roots));
    await untilRotated(mesh);
    const wanted = roots.map(({ certificate }) => new X509Certificate(certificate).serialNumber.toLowerCase()).sort();
    for (const pod of pods) {
      const trusts = async (): Promise<true | undefined> =>
        (await rootsOf(mesh.testbed, pod)).join() === wanted.join() ? true : undefined;
      const otherwise = async (): Promise<string> => `${pod} trusts ${await rootsOf(mesh.testbed, pod)}, not ${wanted}`;
      await until(trusts, { timeoutMs: 60_000, everyMs: 100, otherwise });
    }
  }

  test('with both roots in between fails no request, and ends with the new root only', async () => {
    const fresh = await createTestAuthority({ name: 'new' });
    const belowNew = await createTestAuthority({ name: 'below new', parent: fresh });
    const load = await startCalls(mesh);
    await change(belowOld, [old, fresh]);
    await change(belowNew, [old, fresh]);
    await change(belowNew, [fresh]);
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
    expect((await mesh.plane.allOutput()).includes('do not trust the root that signs now')).toBe(false);
  });
});
