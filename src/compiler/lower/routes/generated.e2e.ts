import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { findEnvoy } from '../../../envoy/process.ts';
import { validateConfig } from '../../../envoy/validate.ts';
import { tries } from '../../../testing/effort.ts';
import { meshTopology } from '../../../testing/generated-mesh.ts';
import { routeFile, virtualServices } from '../../../testing/generated-routes.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { createCompiler } from '../../compile.ts';

const binary = findEnvoy({ env: process.env, repositoryRoot: process.cwd() });
const count = tries(30);
const seed = Number(process.env.GENERATED_SEED ?? Math.trunc(Math.random() * 2 ** 31));

test(`the real Envoy accepts the routes of ${count} generated sets of VirtualServices`, async () => {
  const compiler = createCompiler({ settings: defaultSettings });
  const refused: string[] = [];
  for (const specs of fc.sample(virtualServices(), { numRuns: count, seed })) {
    const bag = new DiagnosticBag();
    const select = ['a', 'c'].map((namespace) => ({ namespace, name: 'curl' }));
    const compilation = compiler.compile([meshTopology(), routeFile(specs)], select, bag);
    const errors = bag.all.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    if (compilation === undefined) refused.push(`${errors.join('\n')}\n${JSON.stringify(specs)}`);
    const verdicts = (compilation?.configs ?? []).map(async (config) => {
      const { ok, message } = await validateConfig(binary, staticFormOf(config));
      if (!ok) refused.push(`${message}\n${JSON.stringify(specs)}`);
    });
    await Promise.all(verdicts);
  }
  expect(refused, `GENERATED_SEED=${seed}`).toEqual([]);
});
