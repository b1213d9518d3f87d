import { createTokenIssuer } from '../e2e/mesh/token-issuer.ts';
import type { Compilation } from '../src/compiler/compilation.ts';
import { createCompiler } from '../src/compiler/compile.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import { createKeySetGatherer } from '../src/live/key-sets/gather.ts';
import type { SourceFile } from '../src/source/document.ts';
import { staticFormOf } from '../src/testing/static-form.ts';
import { type AccessGate, startAccessGate } from './access-gate.ts';
import { accessMesh, denyRules, tokenRules } from './access-mesh.ts';
import { line, median, ms } from './measure.ts';

const settings = { ...defaultSettings, accessLogFile: '' };
const ruleCount = 1000;
const issuerCount = 100;

/** A workload with many access rules and one with many token issuers: compile time, size, and what a request costs. */
export async function deciding(): Promise<void> {
  const issuers = await Promise.all(
    Array.from({ length: issuerCount }, (_, i) => createTokenIssuer(`https://issuer-${i}.example`)),
  );
  const without = await compiled([accessMesh]);
  const rules = await compiled([accessMesh, denyRules(ruleCount)]);
  const tokens = await compiled([accessMesh, tokenRules(issuers)]);
  const size = ({ compilation }: Compiled): number => JSON.stringify(filtersOf(compilation)).length / 1e3;
  const sizes = (one: Compiled): string => `${size(one).toFixed(0)} KB of filters, ${size(without).toFixed(0)} without`;
  line(`${ruleCount} authorization rules, text to output`, ms(rules.time), sizes(rules));
  line(`${issuerCount} token issuers, text to output`, ms(tokens.time), sizes(tokens));
  const gate = await startAccessGate({
    without: filtersOf(without.compilation),
    rules: filtersOf(rules.compilation),
    tokens: filtersOf(tokens.compilation),
  });
  try {
    const token = await issuers.at(-1)?.mint();
    await compareLatencies(gate, { authorization: `Bearer ${token}` });
  } finally {
    await gate.close();
  }
}

interface Compiled {
  readonly compilation: Compilation;
  /** Median of five, in milliseconds. */
  readonly time: number;
}

async function compiled(files: readonly SourceFile[]): Promise<Compiled> {
  const times: number[] = [];
  let compilation: Compilation | undefined;
  for (let i = 0; i < 6; i += 1) {
    const start = performance.now();
    compilation = await compileOnce(files);
    if (i > 0) times.push(performance.now() - start);
  }
  return { compilation: compilation as Compilation, time: median(times) };
}

async function compileOnce(files: readonly SourceFile[]): Promise<Compilation> {
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings });
  const objects = compiler.read(files, bag);
  const keySets = await createKeySetGatherer().gather(objects, bag);
  const compilation = compiler.compileObjects(objects, [{ namespace: 'a', name: 'httpbin' }], bag, keySets);
  if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  return compilation;
}

/** Filters of the chain for plaintext HTTP on the declared port. */
function filtersOf({ configs }: Compilation): readonly object[] {
  const [config] = configs;
  if (config === undefined) throw new Error('nothing was compiled');
  const { static_resources } = staticFormOf(config) as {
    static_resources: { listeners: { name: string; filter_chains: { name: string; filters: object[] }[] }[] };
  };
  const inbound = static_resources.listeners.find(({ name }) => name === 'virtualInbound');
  return inbound?.filter_chains.find(({ name }) => name === 'inbound-8080-plain-http')?.filters ?? [];
}

/** In turns, so that the machine's other work falls on all alike. */
async function compareLatencies(gate: AccessGate, withToken: Readonly<Record<string, string>>): Promise<void> {
  const cases: readonly (readonly [label: string, chain: string, headers: Readonly<Record<string, string>>])[] = [
    ['no policy', 'without', {}],
    [`${ruleCount} rules of DENY, none holds`, 'rules', {}],
    [`${issuerCount} issuers, no token`, 'tokens', {}],
    [`${issuerCount} issuers, a token of the last`, 'tokens', withToken],
  ];
  const seen = cases.map((): number[] => []);
  for (let round = 0; round < 11; round += 1) {
    for (const [i, [, chain, headers]] of cases.entries()) {
      const times = await gate.latencies(chain, 500, headers);
      if (round > 0) seen[i]?.push(...times);
    }
  }
  for (const [i, [label]] of cases.entries()) {
    const sorted = [...(seen[i] ?? [])].sort((a, b) => a - b);
    const at = (share: number): string => ms(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
    line(`latency: ${label}`, `p50 ${at(0.5)}`, `p99 ${at(0.99)}`);
  }
}
