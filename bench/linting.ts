import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnalyser } from '../src/compiler/analyse.ts';
import { createObjectReader } from '../src/compiler/read-objects.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import { lint } from '../src/lint/lint.ts';
import type { SourceFile } from '../src/source/document.ts';
import { line, medianMs, ms, ratio } from './measure.ts';
import { generateMesh } from './mesh.ts';
import { wallMs } from './process.ts';

/** `meshpol lint` by the program, start included, beside `node -e 0`; and its rules beside reading, in one process. */
export function linting(): void {
  const bare = wallMs(9, [process.execPath, '-e', '0']);
  line('node -e 0', ms(bare));
  for (const spread of [true, false]) {
    const times = [1000, 5000, 10_000].map((count) => lintingFiles(count, spread, bare));
    line(`  10,000 policies beside 5,000`, ratio((times[2] ?? 0) / (times[1] ?? 1)));
  }
  const files = lintedMesh(5000, true);
  const bag = new DiagnosticBag();
  const objects = createObjectReader()(files, bag);
  const snapshot = createAnalyser(defaultSettings, { isPartial: true })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all[0]));
  const read = medianMs(5, () => void createObjectReader()(files, new DiagnosticBag()));
  const judged = medianMs(5, () => void lint(snapshot, { files, today: '2026-01-01' }));
  line('rules on 5000 policies', ms(judged), `reading ${ms(read)}`, ratio(judged / read));
}

function lintingFiles(count: number, isSpread: boolean, bare: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  for (const { path, text } of lintedMesh(count, isSpread)) writeFileSync(join(folder, path), text);
  const words = ['dist/meshpol.js', 'lint', '--no-config', folder];
  const time = wallMs(5, [process.execPath, ...words]);
  const told = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS));';
  const { stderr } = spawnSync(process.execPath, ['--import', `data:text/javascript,${told}`, ...words], {
    encoding: 'utf8',
  });
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
  rmSync(folder, { recursive: true });
  line(
    `meshpol lint, ${count} policies${isSpread ? '' : ' on one workload'}`,
    ms(time),
    ratio(time / bare),
    `peak ${peak.toFixed(0)} MiB`,
  );
  return time;
}

/** As many policies as documents of topology, on as many workloads as there are, or all on one. */
function lintedMesh(count: number, isSpread: boolean): readonly SourceFile[] {
  const half = count / 2;
  const mesh = generateMesh({ services: half, workloads: half, namespaces: 10 });
  const topology = mesh.filter(({ path }) => !path.startsWith('rule-'));
  const policies = Array.from({ length: count }, (_, i) => {
    const w = isSpread ? i % half : 0;
    return { path: `policy-${i}.yaml`, text: policy(i, w, w % 10) };
  });
  return [...topology, ...policies];
}

function policy(i: number, workload: number, namespace: number): string {
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata:
  name: policy-${i}
  namespace: ns-${namespace}
spec:
  selector:
    matchLabels:
      pod: p-${workload}
  action: ${i % 5 === 0 ? 'DENY' : 'ALLOW'}
  rules:
    - from:
        - source:
            principals: ["cluster.local/ns/ns-${i % 10}/sa/default"]
      to:
        - operation:
            methods: ["GET", "POST"]
            paths: ["/api/${i}/*"]
            ports: ["8080"]
`;
}
