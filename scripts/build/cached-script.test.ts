import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';

interface CachedScript {
  runScript(file: string, form?: string): { readonly exports: unknown; readonly script: Script };
  compiledFile(file: string, form?: string): string;
}

const { compiledFile, runScript }: CachedScript = await import(new URL('cached-script.mjs', import.meta.url).href);

function scriptFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cached-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.cjs');
  writeFileSync(file, 'exports.sum = (a, b) => a + b;');
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

test('a script runs from the compiled form that is named', () => {
  const file = scriptFile();
  const compiled = runScript(file).script.createCachedData();
  writeFileSync(compiledFile(file, 'client'), compiled);
  expect(runScript(file, 'client').script.cachedDataRejected).toBe(false);
  // There is no other one.
  expect(runScript(file).script.cachedDataRejected).toBeUndefined();
});

test('a script runs where its compiled form is broken', () => {
  const file = scriptFile();
  writeFileSync(compiledFile(file), 'not what V8 writes');
  expect(runScript(file)).toMatchObject({
    exports: { sum: expect.any(Function) },
    script: { cachedDataRejected: true },
  });
});
