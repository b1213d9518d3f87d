import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compilation } from '../src/compiler/compilation.ts';
import { createCompiler } from '../src/compiler/compile.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import type { MeshObject } from '../src/policy/object.ts';
import { validate } from '../src/schema/validate.ts';
import type { SourceFile } from '../src/source/document.ts';
import { parse } from '../src/source/parse.ts';
import { line, medianMs, ms, ratio } from './measure.ts';
import { generateMesh } from './mesh.ts';
import { wallMs } from './process.ts';

const sizes = [10, 100, 1000];
const warmUpMs = 3000;
const workload = { namespace: 'ns-0', name: 'p-0' };

/** One sidecar, warm, from parsed documents, caches emptied, nothing written, beside JSON.stringify of the same output. */
export function compilingOne(): void {
  for (const services of sizes) {
    const objects = readObjects(generateMesh({ services, workloads: services, namespaces: 10 }));
    const output = outputOf(compileOne(objects));
    const stringify = medianMs(9, () => JSON.stringify(output), warmUpMs);
    const time = medianMs(9, () => compileOne(objects), warmUpMs);
    const size = JSON.stringify(output).length / 1e6;
    line(
      `one sidecar of ${services} services, warm (${size.toFixed(2)} MB)`,
      ms(time),
      `JSON.stringify ${ms(stringify)}`,
      ratio(time / stringify),
    );
  }
}

/** The same by the program, from files, process start included. */
export function compilingOneCold(): void {
  const bare = wallMs(9, [process.execPath, '-e', '0']);
  line('node -e 0', ms(bare));
  for (const services of sizes) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    for (const file of generateMesh({ services, workloads: services, namespaces: 10 }))
      writeFileSync(join(folder, file.path), file.text);
    const time = wallMs(5, [process.execPath, 'dist/meshpol.js', 'compile', folder, '--workload', 'ns-0/p-0']);
    line(`meshpol compile, one sidecar of ${services} services`, ms(time), ratio(time / bare));
    rmSync(folder, { recursive: true });
  }
}

/** Typed objects of generated files. */
export function readObjects(files: readonly SourceFile[]): readonly MeshObject<string>[] {
  const bag = new DiagnosticBag();
  const objects = parse(files, bag).flatMap((document) => validate(document, bag) ?? []);
  if (bag.hasErrors) throw new Error(JSON.stringify(bag.all[0]));
  return objects;
}

function compileOne(objects: readonly MeshObject<string>[]): Compilation {
  const bag = new DiagnosticBag();
  const compilation = createCompiler({ settings: defaultSettings }).compileObjects(objects, [workload], bag);
  if (compilation === undefined) throw new Error(JSON.stringify(bag.all.find(({ severity }) => severity === 'error')));
  return compilation;
}

function outputOf({ configs }: Compilation): unknown {
  return configs.map(({ bootstrap, listeners, clusters, routes }) =>
    [bootstrap, ...listeners, ...clusters, ...routes].map(({ json }) => json),
  );
}
