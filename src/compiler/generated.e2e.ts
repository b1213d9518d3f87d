import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { findEnvoy } from '../envoy/process.ts';
import { validateConfig } from '../envoy/validate.ts';
import { createMeshCa } from '../testing/certificates.ts';
import { tries } from '../testing/effort.ts';
import { edgeFiles, edgeObject, edgeTopology } from '../testing/generated-edge.ts';
import { meshTopology } from '../testing/generated-mesh.ts';
import { policies, policyFiles } from '../testing/generated-policies.ts';
import { staticFormOf } from '../testing/static-form.ts';
import { createCompiler } from './compile.ts';

const binary = findEnvoy({ proxyBinary: undefined, env: process.env, repositoryRoot: process.cwd() });
const compiler = createCompiler({ settings: defaultSettings });
const count = tries(8, 50);
const seed = Number(process.env.GENERATED_SEED ?? Math.trunc(Math.random() * 2 ** 31));
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generated-'));
  const { certificateChain, privateKey } = await (await createMeshCa()).issue('spiffe://cluster.local/ns/a/sa/client');
  // The generated rules give any of two files as certificate, key and roots; a key's file holds both.
  for (const name of ['one.pem', 'two.pem']) writeFileSync(join(folder, name), certificateChain + privateKey);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('compile', () => {
  const peers = policies().map((all) => policyFiles(all));
  const edge = fc.array(edgeObject(), { minLength: 3, maxLength: 8 }).map((all) => [edgeTopology(), ...edgeFiles(all)]);
  test.each([
    ['PeerAuthentications and DestinationRules', peers],
    ['tokens, access rules, gateways and routes', edge],
  ])(`gives what the real Envoy accepts, for each proxy of ${count} meshes with generated %s`, async (_, meshes) => {
    const refused: string[] = [];
    let accepted = 0;
    for (const files of fc.sample(meshes, { numRuns: count, seed })) {
      const bag = new DiagnosticBag();
      const compilation = compiler.compile([meshTopology(), ...files], 'all', bag);
      if (compilation === undefined) refused.push(bag.all.map(({ message }) => message).join('\n'));
      const verdicts = (compilation?.configs ?? []).map(async (config) => {
        const form = JSON.stringify(staticFormOf(config)).replaceAll('/etc/certs/', `${folder}/`);
        const { ok, message } = await validateConfig(binary, JSON.parse(form) as object);
        if (ok) accepted += 1;
        else refused.push(`${config.namespace}/${config.workload}: ${message}\n${JSON.stringify(files)}`);
      });
      await Promise.all(verdicts);
    }
    expect(refused, `GENERATED_SEED=${seed}`).toEqual([]);
    expect(accepted).toBeGreaterThanOrEqual(count * 6);
  });
});
