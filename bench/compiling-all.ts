import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createCompiler } from '../src/compiler/compile.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import { readObjects } from './compiling-one.ts';
import { line, median, ms, peakMb, ratio } from './measure.ts';
import { generateMesh, workloadPolicy } from './mesh.ts';
import { writeAll } from './writing.ts';

/** compile --all in a mesh of 1,000 services for 100 and 1,000 workloads, and one changed policy in the larger mesh (5). */
export async function compilingAll(): Promise<void> {
  await timeAll(100, true);
  const inMemory = await timeAll(1000, false);
  changeOne(inMemory);
}

async function timeAll(workloads: number, isWritten: boolean): Promise<number> {
  const objects = readObjects(generateMesh({ services: 1000, workloads, namespaces: 10 }));
  const bag = new DiagnosticBag();
  const start = performance.now();
  const compilation = createCompiler({ settings: defaultSettings }).compileObjects(objects, 'all', bag);
  const time = performance.now() - start;
  if (compilation === undefined) throw new Error(JSON.stringify(bag.all.find(({ severity }) => severity === 'error')));
  line(`compile --all, 1000 services, ${workloads} workloads, in memory`, ms(time), `peak ${peakMb().toFixed(0)} MB`);
  if (!isWritten) return time;

  const few = await timeWrite({ ...compilation, configs: compilation.configs.slice(0, workloads / 10) });
  const all = await timeWrite(compilation);
  const perByte = all.time / all.bytes / (few.time / few.bytes);
  line(
    `the same written (${(all.bytes / 1e6).toFixed(0)} MB)`,
    ms(all.time),
    `${ratio(perByte)} the time a byte of a tenth of it`,
    `peak ${peakMb().toFixed(0)} MB`,
  );
  return time;
}

async function timeWrite(compilation: Parameters<typeof writeAll>[0]): Promise<{ time: number; bytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const start = performance.now();
  const bytes = await writeAll(compilation, folder);
  const time = performance.now() - start;
  rmSync(folder, { recursive: true });
  return { time, bytes };
}

function changeOne(all: number): void {
  const size = { services: 1000, workloads: 1000, namespaces: 10 };
  const objects = readObjects(generateMesh(size));
  const versions = ['STRICT', 'PERMISSIVE', 'DISABLE'].map((mode) => [
    ...objects,
    ...readObjects([workloadPolicy(7, size, mode)]),
  ]);
  const compiler = createCompiler({ settings: defaultSettings });
  compiler.compileObjects(versions[0] ?? [], 'all', new DiagnosticBag());
  const times = Array.from({ length: 9 }, (_, i) => {
    const start = performance.now();
    compiler.compileObjects(versions[(i + 1) % 3] ?? [], 'all', new DiagnosticBag());
    return performance.now() - start;
  });
  const time = median(times);
  line('(5) one workload-level policy changed in that mesh', ms(time), `${ratio(all / time)} cheaper than all of it`);
}
