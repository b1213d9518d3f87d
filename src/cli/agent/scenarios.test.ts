import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine } from './testing/run-line.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenarios-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pod = { POD_NAME: 'p', POD_NAMESPACE: 'n', INSTANCE_IP: '10.0.0.1' };

/** Value and origin of one setting, as `--print-config` shows them. */
async function setting(
  line: string,
  section: string,
  name: string,
  environment: Readonly<Record<string, string>> = pod,
) {
  const { stdout, stderr } = await runLine(`proxy ${line} --print-config -o json`, environment);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as Record<string, Record<string, { value: unknown; origin: string }>>)[section]?.[name];
}

/** Where Istio ends with 255, wrong usage is 2 here. */
describe('pilot-agent', () => {
  test.each([
    ['scenario 2', 'proxy ingress', 'the role is "sidecar" or "router", not "ingress"'],
    ['scenario 6', 'proxy --newflag router', "unknown option '--newflag'"],
    ['scenario 24', 'version -o xml', '--output is "yaml" or "json", not "xml"'],
    ['scenario 25', 'proxy --log_output_level nosuch:debug', 'unknown scope "nosuch"'],
  ])('%s: refuses %j with 2, and says why', async (_, line, message) => {
    const { code, stdout, stderr } = await runLine(line, pod);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('scenario 4: keeps the discovery address of the mesh configuration where no variable names one', async () => {
    const mesh = join(folder, 'mesh.yaml');
    writeFileSync(mesh, 'defaultConfig:\n  discoveryAddress: control.example:15012\n');
    const line = `--meshConfig ${mesh}`;
    const kept = { value: 'control.example:15012', origin: `${mesh}:2` };
    expect(await setting(line, 'proxy', 'discoveryAddress')).toEqual(kept);
    const other = { ...pod, PROXY_CONFIG: '{"discoveryAddress": "other.example:15012"}' };
    expect(await setting(line, 'proxy', 'discoveryAddress', other)).toMatchObject({ value: 'other.example:15012' });
  });

  test('scenario 6: is a sidecar where no role is given', async () => {
    expect(await setting('', 'flags', 'role')).toEqual({ value: 'sidecar', origin: 'default' });
    expect(await setting('router', 'flags', 'role')).toEqual({ value: 'router', origin: 'argument' });
  });

  test('a flag that is not given overrides nothing', async () => {
    const mesh = join(folder, 'flags.yaml');
    writeFileSync(mesh, 'defaultConfig: {concurrency: 3, serviceCluster: front, outlierLogPath: o.log}\n');
    for (const [name, value] of Object.entries({ concurrency: 3, serviceCluster: 'front', outlierLogPath: 'o.log' })) {
      expect(await setting(`--meshConfig ${mesh}`, 'proxy', name)).toEqual({ value, origin: `${mesh}:1` });
    }
  });
});
