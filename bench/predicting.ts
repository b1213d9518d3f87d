import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessRequest } from '../src/access/evaluate/access-request.ts';
import { travel } from '../src/access/evaluate/travel.ts';
import type { World } from '../src/access/world.ts';
import { compiledWorld } from '../src/testing/compiled-world.ts';
import { line, median, ms, quantile } from './measure.ts';
import { runUse } from './process.ts';
import { ruledWorkload } from './ruled-workload.ts';

/** Timed in groups, once the program is warm: V8 compiles it anew while the first ones are made. */
const [warmUp, groups, decisions] = [100_000, 20, 10_000];
const coldRuns = 9;

/**
 * Decisions of a process about requests on the way from a client's proxy through a server's with many rules, each request
 * another; and the time of `meshpol explain` of one request beside that of `meshpol compile` of the same two workloads.
 */
export function predicting(): void {
  for (const ruleCount of [100, 1_000]) {
    const world = compiledWorld([mesh(ruleCount)]);
    decide(world, ruleCount, warmUp);
    const rates = Array.from({ length: groups }, () => {
      const start = process.cpuUsage();
      decide(world, ruleCount, decisions);
      const { user, system } = process.cpuUsage(start);
      return (decisions * 1e6) / (user + system);
    });
    const [least, middle, most] = [0, 0.5, 1].map((share) => Math.round(quantile(rates, share)).toLocaleString('en'));
    const label = `decisions a second of a processor, ${ruleCount} rules`;
    line(label, `${middle}`, `${least} to ${most} in groups of ${decisions.toLocaleString('en')}`);
  }
  compareStarts();
}

/** Two workloads; each rule is for a client, a method and paths. */
function mesh(ruleCount: number): string {
  return [0, 1]
    .map((i) => {
      const rules = Array.from({ length: ruleCount }, (_, r) => rule(r, ruleCount));
      return ruledWorkload(i, { address: `10.1.0.${i + 1}`, clusterIP: `10.96.0.${i + 1}`, rules });
    })
    .join('');
}

/** Every second one is for the client that asks. */
function rule(r: number, ruleCount: number): string {
  const client = r % 2 === 0 ? 'w-0' : `other-${ruleCount - r}`;
  return `  - {from: [{source: {principals: [cluster.local/ns/shop/sa/${client}]}}], to: [{operation: {methods: [GET], paths: [/r${r}/*]}}]}\n`;
}

/** Half of the requests are allowed, each by another rule. */
function decide(world: World, ruleCount: number, count: number): void {
  let allowed = 0;
  for (let i = 0; i < count; i++) {
    const [way] = travel(world, asked(`/r${i % ruleCount}/${i}`), { now: 0 });
    if (way?.outcome.kind === 'reaches') allowed++;
  }
  if (allowed !== count / 2) throw new Error(`${allowed} of ${count} requests are allowed, and half of them should be`);
}

function asked(path: string): AccessRequest {
  return {
    from: { kind: 'workload', namespace: 'shop', name: 'w-0' },
    to: { address: '10.96.0.2', port: 8080 },
    protocol: 'http/1.1',
    request: { method: 'GET', path, authority: 'w-1.shop', headers: [['user-agent', 'bench']] },
    authorizer: undefined,
  };
}

function compareStarts(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const file = join(folder, 'mesh.yaml');
    writeFileSync(file, mesh(100));
    const two = ['--workload', 'shop/w-0', '--workload', 'shop/w-1'];
    const compile = ['dist/meshpol.js', 'compile', file, '-o', join(folder, 'out'), ...two];
    const explain = [
      'dist/meshpol.js',
      'explain',
      file,
      '--from',
      'shop/w-0',
      '--to',
      'shop/w-1:8080',
      '--path',
      '/r0/x',
    ];
    const times: [number, number][] = [];
    for (let i = 0; i < coldRuns; i++) times.push([runUse(compile).wallMs, runUse(explain).wallMs]);
    const [compiled, explained] = [0, 1].map((i) => median(times.map((pair) => pair[i] ?? 0))) as [number, number];
    line('meshpol compile of two workloads', ms(compiled));
    line('meshpol explain of a request between them', ms(explained), `${(explained / compiled).toFixed(2)} x`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
