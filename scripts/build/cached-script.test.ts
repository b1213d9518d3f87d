import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';

interface CachedScript {
  runScript(file: string): { readonly exports: unknown; readonly script: Script };
  runParts(file: string): { readonly exports: unknown; readonly scripts: ReadonlyMap<string, Script> };
  compiledFile(file: string): string;
  wrapped(text: string): string;
}

const { compiledFile, runParts, runScript, wrapped }: CachedScript = await import(
  new URL('cached-script.mjs', import.meta.url).href
);

function scriptFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cached-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.cjs');
  writeFileSync(file, wrapped('exports.sum = (a, b) => a + b;'));
  return file;
}

test('a program that was copied without its script says what is missing, and ends with 3', () => {
  const module = new URL('cached-script.mjs', import.meta.url).href;
  const code = `import { runScript } from ${JSON.stringify(module)}; runScript('/nosuch/agent.cjs');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr).toMatch(/^[^\n]*"\/nosuch\/agent\.cjs" is missing: [^\n]*copy all files of its folder[^\n]*\n$/);
  expect(status).toBe(3);
});

test('a script runs where it has no compiled form', () => {
  expect(runScript(scriptFile())).toMatchObject({ exports: { sum: expect.any(Function) } });
});

test('a script runs from its compiled form', () => {
  const file = scriptFile();
  writeFileSync(compiledFile(file), runScript(file).script.createCachedData());
  expect(runScript(file)).toMatchObject({
    exports: { sum: expect.any(Function) },
    script: { cachedDataRejected: false },
  });
});

test('a script runs where its compiled form is broken', () => {
  const file = scriptFile();
  writeFileSync(compiledFile(file), 'not what V8 writes');
  expect(runScript(file)).toMatchObject({
    exports: { sum: expect.any(Function) },
    script: { cachedDataRejected: true },
  });
});

const firstPart = `exports.modules = {
  './a.js'(exports, require, module) {
    module.exports = { early: require('node:path').basename('/a/b'), late: () => require('./b.js').name };
  },
};
exports.entry = './a.js';
exports.parts = ['first.cjs', 'second.cjs'];
exports.partOf = { './b.js': 1 };`;
const secondPart = `exports.modules = {
  './b.js'(exports, require) { exports.name = 'b beside ' + require('./a.js').early; },
};`;

interface InParts {
  readonly early: string;
  readonly late: () => string;
}

/** A program in two parts: the path of the first, and of the second. */
function partFiles(): { readonly first: string; readonly second: string } {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [first, second] = [join(folder, 'first.cjs'), join(folder, 'second.cjs')];
  writeFileSync(first, wrapped(firstPart));
  writeFileSync(second, wrapped(secondPart));
  return { first, second };
}

test('a part is read when a module of it is first asked for, and modules of two parts share what they load', () => {
  const { first, second } = partFiles();
  const { exports, scripts } = runParts(first);
  const { early, late } = exports as InParts;
  expect([early, ...scripts.keys()]).toEqual(['b', first]);
  expect([late(), ...scripts.keys()]).toEqual(['b beside b', first, second]);
});

test('each part runs from its compiled form', () => {
  const { first } = partFiles();
  const before = runParts(first);
  (before.exports as InParts).late();
  for (const [file, script] of before.scripts) writeFileSync(compiledFile(file), script.createCachedData());
  const { exports, scripts } = runParts(first);
  (exports as InParts).late();
  expect([...scripts.values()].map(({ cachedDataRejected }) => cachedDataRejected)).toEqual([false, false]);
});

test('a program that was copied without a later part says what is missing before it runs, and ends with 3', () => {
  const { first, second } = partFiles();
  rmSync(second);
  const module = new URL('cached-script.mjs', import.meta.url).href;
  const code = `import { runParts } from ${JSON.stringify(module)}; runParts(${JSON.stringify(first)});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr).toContain(`"${second}" is missing: `);
  expect(status).toBe(3);
});
