import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { openSandbox, repository, type Sandbox } from '../testbed/sandbox.ts';
import { node } from '../testbed/sidecar.ts';
import { tries } from '../testing/effort.ts';
import { chooseVariant, stateScript, type Variant, withoutEmptyTables } from './testing/filter-tools.ts';
import { flagArguments, redirectFlagTexts } from './testing/generated-flags.ts';
import { readRuleCases } from './testing/rule-cases.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const variants: readonly Variant[] = isRoot ? ['nft', 'legacy'] : ['nft'];

let sandbox: Sandbox;
let machineBefore: string;
const paths = new Map<Variant, string>();

beforeAll(async () => {
  machineBefore = await machineState();
  sandbox = await openSandbox();
  for (const variant of variants) {
    paths.set(variant, await chooseVariant(sandbox, variant));
    await emptyNetworks(variant);
  }
});

afterAll(async () => {
  await sandbox?.close();
  expect(await machineState()).toBe(machineBefore);
});

/** The rules of the machine itself; only root may see them. */
async function machineState(): Promise<string> {
  if (!isRoot) return '';
  return (await run('sh', ['-c', stateScript])).stdout;
}

/** Two network namespaces of a variant: one for the agent, one for the rules as the kernel's own tool loads them. */
function networksOf(variant: Variant): readonly [agent: string, reference: string] {
  return [`${variant}-agent`, `${variant}-reference`];
}

async function emptyNetworks(variant: Variant): Promise<void> {
  const lines = networksOf(variant).map(
    (name) => `ip netns del ${name} 2>/dev/null || :; ip netns add ${name}; ip -n ${name} link set lo up`,
  );
  await sandbox.must(['sh', '-e'], { stdin: lines.join('\n') });
}

async function stateOf(network: string): Promise<string> {
  return withoutEmptyTables(await sandbox.must(['sh', '-e'], { network, stdin: stateScript }));
}

function agent(variant: Variant, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = { ...variables, PATH: paths.get(variant) ?? '' };
  const [network] = networksOf(variant);
  return sandbox.run([node, `${repository}/dist/pilot-agent.js`, ...args], { network, env });
}

async function must(...call: Parameters<typeof agent>): Promise<string> {
  const { exitCode, stdout, stderr } = await agent(...call);
  expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' });
  return stdout;
}

describeMesh.each(variants)('istio-iptables with %s', (variant) => {
  const [own, reference] = networksOf(variant);

  test.each(readRuleCases())('makes exactly the rules of $name, and clean-up removes all of them', async (it) => {
    const before = await stateOf(own);
    await must(variant, ['istio-iptables', ...it.flags], it.environment);
    const applied = await stateOf(own);
    const env = { PATH: paths.get(variant) ?? '' };
    for (const [tool, stdin] of [
      ['iptables-restore', it.rules.IPv4],
      ['ip6tables-restore', it.rules.IPv6],
    ] as const) {
      await sandbox.must([tool, '--noflush'], { network: reference, env, stdin });
    }
    expect(rulesIn(applied)).toBe(rulesIn(await stateOf(reference)));

    expect(await must(variant, ['istio-iptables', ...it.flags], it.environment)).toContain('in place already');
    expect(await stateOf(own)).toBe(applied);
    await must(variant, ['istio-clean-iptables']);
    expect(await stateOf(own)).toBe(before);
    await emptyNetworks(variant);
  });

  test('prints with --dry-run a script that makes the same rules', async () => {
    const flags = ['istio-iptables', '-m', 'TPROXY', '-b', '*', '-i', '10.0.0.0/8,fd00::/8', '-k', 'eth1', '-q', '81'];
    const env = { PATH: paths.get(variant) ?? '' };
    for (const form of ['--restore-format', '--restore-format=false']) {
      const script = await must(variant, [...flags, '--dry-run', form]);
      expect(withoutEmptyTables(await stateOf(own))).not.toContain('MESH');
      await sandbox.must(['sh', '-e'], { network: reference, env, stdin: script });
      const printed = await stateOf(reference);
      await must(variant, flags);
      expect(await stateOf(own)).toBe(printed);
      await must(variant, ['istio-clean-iptables']);
      await emptyNetworks(variant);
    }
  });
});

/** The lines of the packet filters alone. */
function rulesIn(state: string): string {
  return state.slice(0, state.indexOf('0:\tfrom'));
}

interface GeneratedRun {
  readonly applied: string;
  readonly reference: string;
  readonly outcomes: readonly string[];
  readonly cleaned: string;
}

// Side by side: most of the time is spent in waiting for the kernel.
describeMesh.concurrent.each(variants)('any flags with %s', (variant) => {
  const [own, reference] = networksOf(variant);
  const driver = `${repository}/src/redirect/testing/apply-many.ts`;

  test('make what they plan, the same when run twice, whatever rules existed, and clean-up removes all', async () => {
    const before = await stateOf(own);
    await fc.assert(
      fc.asyncProperty(fc.array(redirectFlagTexts, { minLength: 6, maxLength: 6 }), async (requests) => {
        const env = { PATH: paths.get(variant) ?? '', REFERENCE: `/run/netns/${reference}` };
        const stdin = JSON.stringify(requests);
        const text = await sandbox.must([node, driver], { network: own, env, stdin, timeoutMs: 120_000 });
        const results = JSON.parse(text) as readonly GeneratedRun[];
        for (const [i, result] of results.entries()) {
          const flags = flagArguments(requests[i] ?? {}).join(' ');
          expect({ flags, rules: result.applied }).toEqual({ flags, rules: result.reference });
          expect({ flags, outcomes: result.outcomes.slice(1) }).toEqual({ flags, outcomes: ['in place'] });
          if (result.cleaned !== '')
            expect({ flags, state: withoutEmptyTables(result.cleaned) }).toEqual({ flags, state: before });
        }
      }),
      // Six in a row share a namespace, so that most replace others.
      { numRuns: variant === 'legacy' ? tries(1, 150) : tries(1, 200), endOnFailure: true },
    );
    expect(await stateOf(own)).toBe(before);
  }, 3_600_000);
});

describe('the machine', () => {
  test('keeps its own rules', async () => {
    expect(await machineState()).toBe(machineBefore);
  });
});
