import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Compilation } from '../compiler/compilation.ts';
import { createCompiler } from '../compiler/compile.ts';
import type { CompileResult } from '../contracts/compile-result.ts';
import { bootstrapText, type ProxyFiles } from '../contracts/proxy-files.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { planFiles, proxyFolder } from '../output/plan.ts';
import { readSources } from '../source/read.ts';
import { fixtureNames, readFixture } from '../testing/fixture.ts';
import { createCompileProxy } from './compile-proxy.ts';
import { readHostFacts } from './host-facts.ts';
import { FetchedKeySets } from './key-sets/remote.ts';
import type { ProxyInputs } from './proxy-inputs.ts';

const folder = 'fixtures/ok';
const fixtures = fixtureNames(folder).filter((name) => name.startsWith('standard-'));
const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const keySets = new FetchedKeySets({ allowedHosts: [], log: log as never, onFetch: () => undefined });
afterAll(() => keySets.close());

const machine = {
  environment: {},
  podInfo: undefined,
  memoryLimitBytes: undefined,
  descriptorLimit: undefined,
  addresses: [],
};

type Workload = Compilation['workloads'][number] & Pick<ProxyInputs, 'role'>;

/** What an agent that compiles makes of the objects of a fixture for one of their workloads. */
function compiledFor(
  { namespace, name, role }: Pick<Workload, 'namespace' | 'name' | 'role'>,
  fixture: string,
  readsGatewayApi: boolean | undefined,
): Promise<CompileResult> {
  const { compile } = createCompileProxy({
    settings: { environment: {} },
    policies: [join(folder, fixture)],
    readsGatewayApi,
    watched: [],
    templateFile: undefined,
    identity: { namespace, name, ip: undefined, domain: undefined },
    role,
    fallbackSecret: '',
    keySets,
  });
  return compile();
}

/** The files by their names in the folder of the proxy. */
async function textsOf({ bootstrap, clusters, listeners, routes, beside }: ProxyFiles) {
  const besides = [...beside.keys()].map(async (name) => [name, await beside.get(name)] as const);
  return Object.fromEntries([
    ['bootstrap.json', bootstrapText(bootstrap)],
    ['clusters.json', clusters.text],
    ['listeners.json', listeners.text],
    ...[...routes].map(([name, { text }]) => [`routes/${name}`, text]),
    ...(await Promise.all(besides)),
  ]);
}

describe('an agent that compiles objects of the Gateway API', () => {
  test.each(fixtures)('makes of %s what meshpol compile makes, byte for byte', async (name) => {
    const { settings, keySets: keys } = await readFixture(folder, name);
    const files = await readSources([join(folder, name)], new DiagnosticBag());
    // An agent adds to the node what it knows of its machine.
    const host = await readHostFacts(machine, settings, new DiagnosticBag(), []);
    const compiler = createCompiler({ settings, host });
    const compilation = compiler.compile(files, 'all', new DiagnosticBag(), keys) ?? expect.fail('it has errors');
    const workloads = compilation.workloads.filter((workload): workload is Workload => workload.role !== 'none');
    expect(workloads.map(({ role }) => role)).toContain('router');
    for (const workload of workloads) {
      const result = await compiledFor(workload, name, true);
      if (!('files' in result)) expect.fail(JSON.stringify(result));
      const alone = compiler.compile(files, [workload], new DiagnosticBag(), keys) ?? expect.fail('it has errors');
      const own = `${proxyFolder({ namespace: workload.namespace, workload: workload.name })}/`;
      const planned = [...planFiles(alone, { files })].map(({ path, text }) => [path.replace(own, ''), text]);
      expect(await textsOf(result.files)).toEqual(Object.fromEntries(planned));
    }
  });

  test.each([undefined, false])(
    'skips them where it is told %s, and refuses policies that name them',
    async (reads) => {
      const edge = { namespace: 'shop', name: 'edge', role: 'router' } as const;
      const skipping = await compiledFor(edge, 'standard-http', reads);
      if (!('files' in skipping)) expect.fail(JSON.stringify(skipping));
      expect([...skipping.files.routes.keys()]).toEqual([]);
      const refusing = await compiledFor(edge, 'standard-policies', reads);
      expect('problems' in refusing ? refusing.problems.join() : refusing).toMatch(
        /"targetRefs" is not supported: .*PILOT_ENABLED_SERVICE_APIS=true in the environment of pilot-agent/,
      );
    },
  );
});
