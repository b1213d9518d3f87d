import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { line, median, ms, ratio } from './measure.ts';
import { type RunUse, runUse } from './process.ts';
import { ruledWorkload } from './ruled-workload.ts';

const workloads = 100;
const rulesEach = 5;
const runs = 5;

/** `meshpol test` by the program beside `meshpol compile` of the same mesh, and what a case more costs. */
export function testingPolicies(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  mkdirSync(join(folder, 'mesh'));
  writeFileSync(join(folder, 'mesh', 'mesh.yaml'), Array.from({ length: workloads }, (_, i) => documents(i)).join(''));
  const test = (count: number): string => {
    const path = join(folder, `test-${count}.yaml`);
    writeFileSync(path, suite(count));
    return path;
  };
  const counts = [1, 1_000, 5_000, 20_000];
  const paths = counts.map(test);
  const compile = ['dist/meshpol.js', 'compile', join(folder, 'mesh'), '--all', '-o', join(folder, 'out')];
  // In turns, so that the machine's other work falls on all alike.
  const seen: RunUse[][] = [[], ...counts.map(() => [])];
  for (let run = 0; run < runs; run++) {
    seen[0]?.push(runUse(compile));
    for (const [i, path] of paths.entries()) seen[i + 1]?.push(runUse(['dist/meshpol.js', 'test', path]));
  }
  rmSync(folder, { recursive: true });
  const of = (i: number, what: keyof RunUse): number => median((seen[i] ?? []).map((use) => use[what]));
  line(
    `compile --all, ${workloads} workloads, ${rulesEach} rules each`,
    ms(of(0, 'wallMs')),
    `${ms(of(0, 'cpuMs'))} of a processor`,
  );
  for (const [i, count] of counts.entries()) {
    const beside = of(i + 1, 'wallMs') / of(0, 'wallMs');
    line(`test, ${count} cases`, ms(of(i + 1, 'wallMs')), `${ms(of(i + 1, 'cpuMs'))} of a processor`, ratio(beside));
  }
  for (const i of [2, 3]) {
    const [more, cost] = [(counts[i] ?? 0) - (counts[i - 1] ?? 0), of(i + 1, 'cpuMs') - of(i, 'cpuMs')];
    line(`  a case more, from ${counts[i - 1]} to ${counts[i]}`, `${(cost / more).toFixed(3)} ms of a processor`);
  }
}

/** A workload with a Service, and a policy of `rulesEach` rules, each for one client, a method and a path. */
function documents(i: number): string {
  const rules = Array.from({ length: rulesEach }, (_, r) => {
    const principal = `cluster.local/ns/shop/sa/w-${(i + r) % workloads}`;
    return `  - {from: [{source: {principals: [${principal}]}}], to: [{operation: {methods: [GET], paths: [/r${r}/*]}}]}\n`;
  });
  return ruledWorkload(i, { address: `10.0.${i >> 8}.${i & 255}`, rules });
}

/** Cases over all workloads in turn, two of three of which are delivered. */
function suite(count: number): string {
  const cases = Array.from({ length: count }, (_, k) => {
    const [to, rule, isLetIn] = [k % workloads, (k >> 3) % rulesEach, k % 3 !== 0];
    const from = isLetIn ? (to + rule) % workloads : (to + workloads / 2) % workloads;
    const expected = isLetIn ? `reaches: shop/w-${to}` : 'status: 403';
    return `  - name: case ${k}
    request: {from: shop/w-${from}, to: "w-${to}:8080", path: /r${rule}/${k}}
    expect: {${expected}}
`;
  });
  return `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: bench}
spec:
  inputs: [mesh]
  cases:
${cases.join('')}`;
}
