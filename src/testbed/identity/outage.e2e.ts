import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../lib/abort.ts';
import { tries } from '../../testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { until } from '../until.ts';
import { createIdentityMesh, freshPort, type IdentityMesh } from './identity-mesh.ts';
import { expiryFigure, failuresOf, figureOf, startCalls, untilRotated, untilWritten } from './watching.ts';

/** Renewed 2 s after it came; from 11.5 s on a failure is an error. */
const timing = { lifetime: '14s', graceRatio: 0.85 };

describeMesh('a mesh whose authority is away', () => {
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh(timing);
  });
  afterAll(() => mesh?.testbed.close());

  const status = async (): Promise<string> =>
    (await mesh.testbed.request({ from: 'foo/client', to: 'server.foo', port: freshPort })).status;

  test('fails no request while its certificates last, and renews when the authority is back', async () => {
    const load = await startCalls(mesh);
    for (let i = 0; i < tries(1); i += 1) {
      const issued = (await mesh.plane.issued()).length;
      await mesh.plane.kill();
      // Longer than the time between two renewals, shorter than the certificates last.
      await delay(6_000);
      expect(await mesh.plane.issued()).toHaveLength(issued);
      await mesh.plane.start();
      await untilRotated(mesh);
    }
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  });

  test('says so as an error before the certificates end, fails closed when they have, and recovers', async () => {
    const server = mesh.testbed.sidecar('foo/server');
    const from = (await server.output()).length;
    const load = await startCalls(mesh);
    await mesh.plane.kill();
    const told = await untilWritten(server.program.output, /^.*\berror\b.*the certificate cannot be renewed.*$/m, from);
    const endsAt = await figureOf(mesh.testbed, 'foo/server', expiryFigure);
    const leftMs = endsAt * 1_000 - Date.now();
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
    expect(leftMs).toBeGreaterThan(500);
    expect(told).toContain(new Date(endsAt * 1_000).toISOString());
    await until(async () => ((await status()) === '503' ? true : undefined), {
      timeoutMs: 10_000,
      everyMs: 100,
      otherwise: async () => `still ${await status()}`,
    });
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt * 1_000);
    await mesh.plane.start();
    await until(async () => ((await status()) === '200' ? true : undefined), {
      timeoutMs: 10_000,
      everyMs: 100,
      otherwise: async () => `still ${await status()}`,
    });
  });
});
