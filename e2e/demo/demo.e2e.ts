import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../src/testbed/until.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { processesNaming, startScript, untilGone } from '../testing/started-script.ts';

describeMesh('demo', () => {
  test('shows every cell of both tables and what decided it, in under two minutes, and leaves nothing behind', async () => {
    const startedAt = performance.now();
    const demo = await startScript('demo');
    const code = await demo.ended;
    expect(demo.output(), demo.output()).toContain('every cell is as specified');
    expect(code).toBe(0);
    expect(demo.output().match(/^ {2}ok /gm)).toHaveLength(36 + 22);
    expect(demo.output()).toMatch(
      /no filter chain matched\n +decided by PeerAuthentication foo\/default spec\.mtls\.mode \(examples\/first-mesh\/policies\/namespace-strict\.yaml:9\)/,
    );
    expect(demo.output()).toMatch(/at the gateway: jwt_authn_access_denied\{Jwt_is_expired\}/);
    expect(demo.output()).toMatch(
      /at the gateway: rbac_access_denied_matched_policy\[ns\[mesh-system\]-policy\[require-token\]/,
    );
    expect(performance.now() - startedAt).toBeLessThan(120_000);
    await untilGone(demo);
  });

  test('exits with 1 when a cell differs', async () => {
    const example = await mkdtemp(join(tmpdir(), 'mesh-example-'));
    await cp('examples/first-mesh', example, { recursive: true });
    const file = join(example, 'policies/mesh-strict.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('STRICT', 'PERMISSIVE'));
    const demo = await startScript('demo', ['first-mesh', example]);
    const code = await demo.ended;
    expect(demo.output().match(/^ {2}DIFFERS .*$/gm)).toHaveLength(2);
    expect(code).toBe(1);
    await untilGone(demo);
    await rm(example, { recursive: true });
  });

  test('of a fleet shows when each change had reached each proxy, and fails no request while meshd is away', async () => {
    const demo = await startScript('demo-fleet');
    const code = await demo.ended;
    expect(demo.output(), demo.output()).toContain('every outcome is as expected, and no request failed');
    expect(code).toBe(0);
    expect(demo.output().match(/^ {2}ok /gm)).toHaveLength(8);
    // Ten sidecars and the gateway, four changes.
    expect(demo.output().match(/^ {2}(shop|mesh-system)\/\w+( +\d+ ms){4}$/gm)).toHaveLength(11);
    await untilGone(demo);
  });

  test('leaves nothing behind after Ctrl-C in the middle', async () => {
    const demo = await startScript('demo');
    const probe = async (): Promise<true | undefined> => {
      if (demo.child.exitCode !== null) throw new Error(`the demonstration ended: ${demo.output()}`);
      return demo.output().includes('is in force') ? true : undefined;
    };
    await until(probe, { timeoutMs: 60_000, otherwise: async () => demo.output() });
    expect(await processesNaming(demo.temporary)).toBeGreaterThan(0);
    demo.child.kill('SIGINT');
    await demo.ended;
    await untilGone(demo);
  });
});
