import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkFiles } from './check.ts';
import { typedMessage } from './discovery-response.ts';
import { textOf } from './format.ts';
import { manifestName } from './manifest.ts';
import type { OutputFile } from './plan.ts';
import { writeFiles } from './write.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const all = { isOurs: () => true };

function files(texts: Readonly<Record<string, string>>): OutputFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

function present(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const isFile = (name: string): boolean => statSync(join(folder, name)).isFile();
  return Object.fromEntries(names.filter(isFile).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('writeFiles', () => {
  test('writes files and the list of them', async () => {
    await writeFiles(folder, files({ 'b/c.json': '1', 'a.json': '2' }), all);
    expect(present()).toEqual({ 'b/c.json': '1', 'a.json': '2', [manifestName]: 'a.json\nb/c.json\n' });
  });

  test('removes what it wrote before and no longer makes, with the folders that are empty then', async () => {
    await writeFiles(folder, files({ 'a/b/old.json': '1', 'c/kept.json': '1' }), all);
    writeFileSync(join(folder, 'c/mine.txt'), 'mine');
    const result = await writeFiles(folder, files({ 'c/new.json': '2' }), all);
    expect(result).toEqual({ written: 1, unchanged: 0, removed: 2 });
    expect(present()).toEqual({ 'c/mine.txt': 'mine', 'c/new.json': '2', [manifestName]: 'c/new.json\n' });
    expect(readdirSync(folder).sort()).toEqual([manifestName, 'c']);
  });

  test('stops between two files when it is aborted, and leaves no temporary file behind', async () => {
    await writeFiles(folder, files({ 'a.json': '1', 'b.json': '1' }), all);
    const stopped = new AbortController();
    const many = function* (): Generator<OutputFile> {
      yield* files({ 'a.json': '2' });
      stopped.abort('SIGTERM');
      yield* files({ 'b.json': '2' });
    };
    await expect(writeFiles(folder, many(), { ...all, stop: stopped.signal })).rejects.toBe('SIGTERM');
    expect(present()).toEqual({ 'a.json': '1', 'b.json': '1', [manifestName]: 'a.json\nb.json\n' });
    expect(readdirSync(folder)).toEqual([manifestName, 'a.json', 'b.json']);
  });

  test('leaves files of other workloads alone and listed', async () => {
    await writeFiles(folder, files({ 'a/x.json': '1', 'b/x.json': '1', 'b/y.json': '1' }), all);
    await writeFiles(folder, files({ 'b/x.json': '2' }), { isOurs: (path) => path.startsWith('b/') });
    expect(present()).toEqual({ 'a/x.json': '1', 'b/x.json': '2', [manifestName]: 'a/x.json\nb/x.json\n' });
  });

  test('does not touch a file that would stay the same', async () => {
    await writeFiles(folder, files({ 'a.json': '1', 'b.json': '1' }), all);
    const before = statSync(join(folder, 'a.json')).ino;
    expect(await writeFiles(folder, files({ 'a.json': '1', 'b.json': '2' }), all)).toMatchObject({ unchanged: 1 });
    expect(statSync(join(folder, 'a.json')).ino).toBe(before);
  });

  test("refuses to write over a stranger's file, and then changes nothing", async () => {
    writeFileSync(join(folder, 'b.json'), 'mine');
    const writing = writeFiles(folder, files({ 'a.json': '1', 'b.json': '2' }), all);
    await expect(writing).rejects.toMatchObject({ code: 'output-not-ours' });
    expect(present()).toEqual({ 'b.json': 'mine' });
    await writeFiles(folder, files({ 'b.json': '2' }), { ...all, force: true });
    expect(present()).toMatchObject({ 'b.json': '2' });
  });

  test('takes over a file of a stranger that is the same', async () => {
    writeFileSync(join(folder, 'a.json'), '1');
    expect(await writeFiles(folder, files({ 'a.json': '1' }), all)).toMatchObject({ unchanged: 1 });
  });

  test('replaces a link instead of writing through it', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'mine');
    symlinkSync(target, join(folder, 'a.json'));
    await writeFiles(folder, files({ 'a.json': '1' }), { ...all, force: true });
    expect(present()).toMatchObject({ target: 'mine', 'a.json': '1' });
  });

  test('refuses a list that leads out of the folder', async () => {
    writeFileSync(join(folder, manifestName), '../precious\n');
    await expect(writeFiles(folder, [], all)).rejects.toMatchObject({ code: 'output-not-ours' });
  });

  test.each(['file', 'file/below/it'])('says what to do when a file is where the folder %s should be', async (name) => {
    writeFileSync(join(folder, 'file'), '');
    await expect(writeFiles(join(folder, name), [], all)).rejects.toThrow(
      `cannot write to "${join(folder, name)}": "${join(folder, 'file')}" is a file, expected a folder; name another one`,
    );
  });

  test('lets runs at the same time into one new folder write one after the other, each whole', async () => {
    const out = join(folder, 'new');
    const texts = (run: number) =>
      files(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${run}/${i}/x.json`, String(run)])));
    const shared = (run: number) => [...texts(run), ...files({ 'a.json': String(run), 'z.json': String(run) })];
    await Promise.all([1, 2, 3, 4].map((run) => writeFiles(out, shared(run), all)));
    const last = Number(readFileSync(join(out, 'a.json'), 'utf8'));
    expect(readdirSync(out)).toEqual([manifestName, String(last), 'a.json', 'z.json']);
    expect(await checkFiles(out, shared(last), all)).toEqual({ isSame: true, text: '' });
  });

  test('leaves the stage of a run that goes on, and says after a time that another run writes to the folder', async () => {
    let inTheMiddle: () => void = () => undefined;
    const middle = new Promise<void>((resolve) => {
      inTheMiddle = resolve;
    });
    let second: Promise<unknown> | undefined;
    const slow = function* (): Generator<OutputFile> {
      yield* files({ 'a.json': '1' });
      second = writeFiles(folder, files({ 'b.json': '2' }), { ...all, waitMs: 0 });
      inTheMiddle();
      yield* files({ 'c.json': '1' });
    };
    const first = writeFiles(folder, slow(), all);
    await middle;
    await expect(second).rejects.toThrow(
      /^another run writes to "[^"]*" and has not ended within 0 s: run this one again/,
    );
    expect(await first).toEqual({ written: 2, unchanged: 0, removed: 0 });
    expect(present()).toEqual({ 'a.json': '1', 'c.json': '1', [manifestName]: 'a.json\nc.json\n' });
  });

  test('removes a stage whose process number another process has now, and waits for one of another machine', async () => {
    const names: string[] = [];
    const spy = function* (): Generator<OutputFile> {
      names.push(...readdirSync(folder).filter((name) => name.startsWith('.meshpol-stage-')));
      yield* files({ 'a.json': '1' });
    };
    await writeFiles(folder, spy(), all);
    const [own = ''] = names;
    const started = /-(\d+)-[0-9a-f]+$/;
    mkdirSync(join(folder, own.replace(started, '-1$1-00')));
    await writeFiles(folder, files({ 'a.json': '2' }), { ...all, waitMs: 0 });
    expect(readdirSync(folder)).toEqual([manifestName, 'a.json']);
    const foreign = join(folder, own.replace(/stage-[0-9a-f]+/, 'stage-0'));
    mkdirSync(foreign);
    await expect(writeFiles(folder, [], { ...all, waitMs: 0 })).rejects.toThrow(`remove "${foreign}"`);
    utimesSync(foreign, 0, 0);
    await writeFiles(folder, files({ 'a.json': '3' }), { ...all, waitMs: 0 });
    expect(readdirSync(folder)).toEqual([manifestName, 'a.json']);
  });

  test('leaves old or new files only when it is killed, and the next run cleans up', async () => {
    const program = join(folder, 'program.mjs');
    buildSync({
      stdin: {
        contents: `import { writeFiles } from './write.ts';
          const [folder] = process.argv.slice(2);
          console.log('ready');
          for (let round = 1; ; round++) {
            const text = String(round % 10).repeat(20000);
            const files = Array.from({ length: 100 }, (_, i) => ({ path: 'f' + (i + round % 2) + '.json', text }));
            await writeFiles(folder, files, { isOurs: () => true });
          }`,
        resolveDir: import.meta.dirname,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'silent',
    });
    const out = join(folder, 'out');
    mkdirSync(out);
    for (const milliseconds of [20, 45, 70, 95, 120]) {
      await killAfterReady(program, out, milliseconds);
      for (const name of readdirSync(out).filter((entry) => entry.endsWith('.json'))) {
        expect(readFileSync(join(out, name), 'utf8')).toMatch(/^(\d)\1{19999}$/);
      }
    }
    await writeFiles(out, files({ 'last.json': '1' }), all);
    expect(readdirSync(out).sort()).toEqual([manifestName, 'last.json']);
  });
});

function killAfterReady(program: string, out: string, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, out], () => resolve());
    child.stdout?.once('data', () => setTimeout(() => child.kill('SIGKILL'), milliseconds));
  });
}

describe('checkFiles', () => {
  test('is silent after a write', async () => {
    const made = files({ 'a.json': '1\n', 'b/c.json': '2\n' });
    await writeFiles(folder, made, all);
    expect(await checkFiles(folder, made, all)).toEqual({ isSame: true, text: '' });
  });

  test('shows changed, missing and superfluous files in the order of their paths', async () => {
    await writeFiles(folder, files({ 'a.json': '1\n', 'c.json': '3\n' }), all);
    const { isSame, text } = await checkFiles(folder, files({ 'b.json': '2\n', 'a.json': '0\n' }), all);
    expect(isSame).toBe(false);
    expect(text.slice(text.indexOf('---'))).toBe(
      '--- a/a.json\n+++ b/a.json\n@@ -1 +1 @@\n-1\n+0\n' +
        '--- /dev/null\n+++ b/b.json\n@@ -0,0 +1 @@\n+2\n' +
        '--- a/c.json\n+++ /dev/null\n@@ -1 +0,0 @@\n-3\n',
    );
  });

  /** A list of listeners of these names, as a file of a workload. */
  const list = (path: string, names: readonly string[], rest: object = {}): OutputFile => {
    const resources = names.map((name) => ({ type: 'listener' as const, name, json: { name, ...rest } }));
    const value = { resources: resources.map(typedMessage) };
    return { path, text: textOf(value, path.endsWith('json') ? 'json' : 'yaml'), resources };
  };

  test('begins with what changes a workload, and shows origins last, or not at all', async () => {
    const at = (name: string): string => `shop/web/${name}.json`;
    const before = [
      list(at('listeners'), ['a', 'b']),
      ...files({ [at('origins')]: '1', [at('routes/80')]: '1', 'mesh.json': '1' }),
    ];
    const old = list('shop/old/clusters.json', ['x']);
    await writeFiles(folder, [...before, old], all);
    const next = [
      list(at('listeners'), ['b', 'c']),
      ...files({ [at('origins')]: '2', [at('routes/81')]: '1', 'mesh.json': '1' }),
    ];
    const { text } = await checkFiles(folder, next, all);
    expect(text.slice(0, text.indexOf('---'))).toBe(
      '2 workloads would change:\n  shop/old: clusters x (gone)\n' +
        '  shop/web: routes 80 (gone), 81 (new); listeners a (gone), c (new); origins\n\n',
    );
    expect([...text.matchAll(/^diff|^--- (?:a\/)?(.*)$/gm)].map(([, path]) => path)).toEqual([
      'shop/old/clusters.json',
      'shop/web/listeners.json',
      'shop/web/routes/80.json',
      '/dev/null',
      'shop/web/origins.json',
    ]);
    const quiet = await checkFiles(folder, next, { ...all, withoutOrigins: true });
    expect(quiet.text).not.toContain('--- a/shop/web/origins.json');
    const moved = [...before.filter(({ path }) => path !== at('origins')), ...files({ [at('origins')]: '2' }), old];
    expect(await checkFiles(folder, moved, { ...all, withoutOrigins: true })).toEqual({
      isSame: false,
      text: '1 workload would change:\n  shop/web: origins\n\n',
    });
  });

  test('names resources of YAML, and none of a file that is no response', async () => {
    const broken = ['{', '{}', '[]', 'null', '{"resources": {}}', '{"resources": [7]}', '{"resources": [{"name": 7}]}'];
    const at = (index: number): string => `shop/b${index}/listeners.json`;
    const texts = Object.fromEntries(broken.map((text, index) => [at(index), text]));
    await writeFiles(folder, [list('shop/a/listeners.yaml', ['a', 'b']), ...files(texts)], all);
    const whole = broken.map((_, index) => list(at(index), ['a']));
    const next = [list('shop/a/listeners.yaml', ['a', 'b', 'c']), ...whole];
    const { text } = await checkFiles(folder, next, all);
    const lines = broken.map((_, index) => `  shop/b${index}: listeners\n`);
    expect(text).toContain(`  shop/a: listeners c (new)\n${lines.join('')}`);
    const other = list('shop/a/listeners.yaml', ['a', 'b', 'c'], { x: 1 });
    expect((await checkFiles(folder, [other, ...whole], all)).text).toContain('listeners a, b, c (new)');
  });

  test('fails for a folder that is not there', async () => {
    await expect(checkFiles(join(folder, 'none'), [], all)).rejects.toMatchObject({ code: 'output-unwritable' });
  });
});
