import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { until } from '../../src/testbed/until.ts';
import { tries } from '../../src/testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { createIdentityMesh, freshPort, type IdentityMesh, keptPort } from './identity-mesh.ts';
import { expiryFigure, failuresOf, figureOf, startCalls, untilRotated, untilWritten } from './watching.ts';

/** Renewed 2.4 s after it came; from 13.3 s on a failure is an error. */
const timing = { lifetime: '16s', graceRatio: 0.85 };

describeMesh('a mesh whose authority is away', () => {
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh(timing);
  });
  afterAll(() => mesh?.testbed.close());

  const status = async (port = freshPort): Promise<string> =>
    (await mesh.testbed.request({ from: 'foo/client', to: 'server.foo', port })).status;

  test('fails no request while its certificates last, and renews when the CA is back', async () => {
    const load = await startCalls(mesh);
    for (let i = 0; i < tries(1); i += 1) {
      await mesh.plane.kill();
      const { length } = await mesh.plane.issued();
      // Longer than the time between two renewals, shorter than the certificates last.
      await delay(6_000);
      expect(await mesh.plane.issued()).toHaveLength(length);
      await mesh.plane.start();
      await untilRotated(mesh);
    }
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  });

  test('says so as an error before the certificates end, fails closed when they have, and recovers', async () => {
    const pods = ['foo/server', 'foo/client'];
    const said = pods.map(async (pod) => {
      const { program } = mesh.testbed.sidecar(pod);
      const from = (await readFile(program.output, 'utf8')).length;
      const line = await untilWritten(program.output, /^.*\terror\t.*the certificate cannot be renewed.*$/m, from);
      return { line, endsAt: await figureOf(mesh.testbed, pod, expiryFigure) };
    });
    const load = await startCalls(mesh);
    await mesh.plane.kill();
    const told = await Promise.race(said);
    const ends = await Promise.all(pods.map((pod) => figureOf(mesh.testbed, pod, expiryFigure)));
    const endMs = Math.min(...ends) * 1_000;
    expect(endMs - Date.now()).toBeGreaterThan(500);
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
    expect(told.line).toContain(new Date(told.endsAt * 1_000).toISOString());
    await until(async () => ((await status()) === '503' ? true : undefined), {
      timeoutMs: 60_000,
      everyMs: 100,
      otherwise: async () => `still ${await status()}`,
    });
    expect(Date.now()).toBeGreaterThanOrEqual(endMs);
    // Envoy verifies at the handshake: a connection that it keeps outlives the certificate.
    expect(await status(keptPort)).toBe('200');
    await mesh.plane.start();
    await until(async () => ((await status()) === '200' ? true : undefined), {
      timeoutMs: 60_000,
      everyMs: 100,
      otherwise: async () => `still ${await status()}`,
    });
  });
});
