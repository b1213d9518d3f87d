import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

interface PartsModule {
  buildParts(entry: string, parts: readonly Part[], options: object): Promise<void>;
}
type Part = readonly [script: string, modules: readonly string[]];

const { buildParts }: PartsModule = await import(new URL('parts.mjs', import.meta.url).href);
const root = resolve(import.meta.dirname, '../..');

const sources = {
  'entry.ts': `import { shared } from './shared.ts';
export const answerFor = async (name: 'soon' | 'late') => {
  shared.push('run');
  return name === 'soon' ? (await import('./soon.ts')).soon() : (await import('./late.ts')).late();
};
`,
  'shared.ts': "export const shared: string[] = ['shared'];\n",
  'soon.ts': "import { shared } from './shared.ts';\nexport const soon = () => ['soon', ...shared].join();\n",
  'late.ts': `import { shared } from './shared.ts';

export const late = (): string => {
  throw new Error(['late', ...shared].join());
};
`,
};

/** The sources in a folder of their own, built; gives the folder and what a module in it is called by the bundler. */
async function built(parts: (at: (name: string) => string) => readonly Part[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'build-parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
  const at = (name: string): string => relative(root, join(folder, name));
  const options = { bundle: true, platform: 'node', target: 'node22.19', absWorkingDir: root, minifyWhitespace: true };
  await buildParts(at('entry.ts'), parts(at), { ...options, outdir: join(folder, 'out') });
  return folder;
}

/** What a program prints that calls the entry. */
function called(folder: string, call: string, flags: readonly string[] = []): string {
  const module = new URL('cached-script.mjs', import.meta.url).href;
  const first = JSON.stringify(join(folder, 'out/first.cjs'));
  const code = `import { runParts } from ${JSON.stringify(module)};
const { exports, scripts } = runParts(${first});
const answer = () => exports.${call}.catch((error) => error.stack);
if (globalThis.gc) {
  await exports.${call}.catch(() => undefined);
  await new Promise(setImmediate);
  gc();
}
console.log(await answer(), scripts.size);`;
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('what is named for a part is in it with what it imports, the rest in the last, and nothing twice', async () => {
  const folder = await built((at) => [
    ['first.cjs', [at('soon.ts')]],
    ['last.cjs', []],
  ]);
  const text = (name: string): string => readFileSync(join(folder, 'out', name), 'utf8');
  expect(text('first.cjs')).toContain('"soon"');
  expect(text('first.cjs')).not.toContain('"late"');
  expect(text('last.cjs')).toContain('"late"');
  expect(`${text('first.cjs')}${text('last.cjs')}`.split('["shared"]')).toHaveLength(2);
  expect(called(folder, "answerFor('soon')")).toBe('soon,shared,run 1\n');
  expect(called(folder, "answerFor('late')")).toMatch(/^Error: late,shared,run\n[\s\S]* 2\n$/);
});

test('places in the code are those of the sources, in each part, also after garbage was collected', async () => {
  const folder = await built(() => [
    ['first.cjs', []],
    ['last.cjs', []],
  ]);
  expect(called(folder, "answerFor('late')", ['--enable-source-maps', '--expose-gc'])).toMatch(/late\.ts:4:9\)?\n/);
});

test('a module that nothing imports when it needs it ends the build', async () => {
  const parts = built((at) => [
    ['first.cjs', [at('shared.ts')]],
    ['last.cjs', []],
  ]);
  await expect(parts).rejects.toThrow(/^first\.cjs: nothing imports ".*shared\.ts" when it needs it/);
});
