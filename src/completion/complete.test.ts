import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldBooleans } from '../cli/agent/flags.ts';
import { createPilotAgent } from '../cli/agent/pilot-agent.ts';
import type { ProgramContext } from '../cli/agent/program-context.ts';
import { agentValues } from '../cli/completion/agent-values.ts';
import { meshdValues } from '../cli/completion/meshd-values.ts';
import { meshpolValues } from '../cli/completion/meshpol-values.ts';
import { createMeshd } from '../cli/control/meshd.ts';
import type { CliIo } from '../cli/io.ts';
import { createMeshpol } from '../cli/meshpol.ts';
import { run } from '../cli/testing/run-meshpol.ts';
import { complete } from './complete.ts';
import { formatOffer } from './format-offer.ts';
import { inputNames } from './input-names.ts';

const programs = {
  meshpol: [createMeshpol({} as CliIo, {}, () => undefined), meshpolValues],
  'pilot-agent': [createPilotAgent({} as ProgramContext, () => undefined), agentValues],
  meshd: [createMeshd({} as ProgramContext, () => undefined), meshdValues],
} as const;

/** What may stand at the end of a line of words with one space between them: words, and a line for paths. */
async function offered(line: string): Promise<string[]> {
  const [name = '', ...words] = line.split(' ');
  const [program, values] = programs[name as keyof typeof programs];
  const text = formatOffer(await complete(program, words, values));
  return text.split('\n').flatMap((it) => it.split('\t')[0] || []);
}

const mesh = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {mesh-injection: enabled}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}, spec: {containers: [{name: app}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: plain, namespace: bare}, spec: {containers: [{name: app}]}}
`;

describe('complete', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'complete-'));
    mkdirSync(join(folder, 'mesh/below'), { recursive: true });
    writeFileSync(join(folder, 'mesh/below/mesh.yaml'), mesh);
    writeFileSync(join(folder, 'half.yaml'), `${mesh}---\nkind: Pod\nmetadata: {name: `);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    [
      'meshpol ',
      [
        'compile',
        'explain',
        'describe',
        'test',
        'prove',
        'replay',
        'lint',
        'rules',
        'inject',
        'schema',
        'version',
        'completion',
        'help',
      ],
    ],
    [
      'meshpol help ',
      [
        'compile',
        'explain',
        'describe',
        'test',
        'prove',
        'replay',
        'lint',
        'rules',
        'inject',
        'schema',
        'version',
        'completion',
        'help',
      ],
    ],
    ['meshpol help lint ', []],
    ['meshpol nothing ', []],
    ['meshpol completion ', ['bash', 'zsh', 'fish']],
    ['meshpol compile ', [':files:0']],
    ['meshpol compile a.yaml b', [':files:0']],
    ['meshpol compile -- -', [':files:0']],
    ['meshpol compile -o ', [':folders:0']],
    ['meshpol compile --output=o', [':folders:9']],
    ['meshpol compile --check ', [':folders:0']],
    ['meshpol describe --format ', ['text', 'json']],
    ['meshpol compile --format ', ['json', 'yaml']],
    ['meshpol compile --format=', ['--format=json', '--format=yaml']],
    ['meshpol compile --all=', []],
    ['meshpol compile --trust-domain ', []],
    ['meshpol compile --jwks ', []],
    ['meshpol compile --jwks https://a/?b=c=', [':files:15']],
    ['meshpol inject ', [':files:0']],
    ['meshpol inject --injectionTemplate a=', [':files:2']],
    ['meshpol lint --fail-on ', ['error', 'warning', 'info']],
    ['meshpol lint -o sarif=', [':files:6']],
    ['meshpol lint --output=sarif=o', [':files:15']],
    ['pilot-agent proxy ', ['sidecar', 'router']],
    ['pilot-agent --log_as_json proxy ', ['sidecar', 'router']],
    ['pilot-agent proxy sidecar --policies a ', [':files:0']],
    ['pilot-agent proxy --policies a b --restartPolicy ', ['never', 'on-failure', 'always']],
    ['pilot-agent proxy --log_target ', ['stdout', 'stderr', ':files:0']],
    ['pilot-agent istio-iptables -m ', ['REDIRECT', 'TPROXY']],
    ['pilot-agent request ', ['GET', 'POST']],
    ['meshd serve --caKeyAlgorithm ', ['ECDSA', 'RSA']],
    ['meshd serve --caFolder ', [':folders:0']],
    ['meshd version -o ', ['yaml', 'json']],
    ['meshd crds -o ', ['yaml', 'json']],
  ])('offers for %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  test.each([
    ['meshpol lint -', ['--fix', '--rule', '--quiet', '--help'], ['--workload', '-o']],
    ['meshpol lint --fix --rule a --', ['--rule', '--dry-run'], ['--fix']],
    ['meshpol version ', ['--help'], []],
    ['pilot-agent -', ['--log_as_json', '--help'], ['--policies']],
    ['pilot-agent istio-iptables -', ['--dry-run', '--log_target'], ['--no-dry-run']],
    ['meshpol lint --rule ', ['allow-every-request'], [':files:0']],
    ['meshpol lint --category ', ['client-tls'], []],
    ['meshpol rules ', ['allow-every-request', 'yaml-syntax'], []],
    ['meshpol rules --from ', ['IST0101'], []],
    ['meshd crds ', ['PeerAuthentication', 'WorkloadGroup'], ['Pod']],
    ['meshpol schema ', ['PeerAuthentication', 'MeshConfig'], []],
  ])('offers for %j these among others', async (line, some, none) => {
    const words = await offered(line);
    expect(words).toEqual(expect.arrayContaining(some));
    expect(words.filter((word) => (none as readonly string[]).includes(word))).toEqual([]);
  });

  test('offers workloads that have a proxy, and namespaces, of the inputs that the line names', async () => {
    expect(await offered(`meshpol compile ${folder}/mesh --workload `)).toEqual(['shop/cart']);
    expect(await offered(`meshpol compile --workload a/b -f ${folder}/mesh --workload=`)).toEqual([
      '--workload=shop/cart',
    ]);
    expect(await offered(`meshpol describe -f ${folder}/mesh `)).toEqual(['shop/cart']);
    expect(await offered(`meshpol explain ${folder}/mesh --from `)).toEqual(['shop/cart']);
    expect(await offered(`meshpol lint ${folder}/mesh --root-namespace `)).toEqual(['bare', 'shop']);
    expect(await offered(`pilot-agent proxy --policies ${folder}/mesh --id `)).toEqual(['cart.shop']);
  });

  test('offers what it can of inputs that are broken, absent or pipes', async () => {
    expect(await offered(`meshpol compile ${folder}/half.yaml --workload `)).toEqual(['shop/cart']);
    expect(await offered(`meshpol compile /dev/stdin - /nowhere ${folder}/mesh --workload `)).toEqual(['shop/cart']);
  });

  test('reads a part of a large input, whole documents of it, and nothing when its time is over', async () => {
    const pod = (i: number): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: pod-${i}, namespace: shop}\nspec: {containers: [{name: mesh-proxy}]}\n`;
    const path = join(folder, 'large.yaml');
    writeFileSync(path, Array.from({ length: 20_000 }, (_, i) => pod(i)).join('---\n'));
    const { workloads } = await inputNames([path], 60_000);
    expect(workloads.length).toBeGreaterThan(9_000);
    expect(workloads.length).toBeLessThan(11_000);
    expect(await inputNames([path], 0)).toEqual({ namespaces: [], workloads: [] });
  });
});

describe('meshpol __complete', () => {
  test('prints a line for each word, with its description', async () => {
    const { code, out } = await run('__complete -- lint --fail');
    expect(code).toBe(0);
    expect(out).toContain('--fail-on\texit with 1 if there is a finding');
  });

  test('is in no help', async () => {
    expect((await run('--help')).out).not.toContain('__complete');
  });
});

test('pilot-agent and meshd take a word behind "--" for no flag of theirs', () => {
  expect(foldBooleans(['--short=true', '__complete', '--', '--short=maybe'])).toEqual([
    ...['--short', '__complete', '--', '--short=maybe'],
  ]);
});

test('meshpol completion refuses a shell that it does not know', async () => {
  const { code, error } = await run('completion tcsh');
  expect([code, error]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
});
