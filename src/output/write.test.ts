import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manifestName } from './manifest.ts';
import type { OutputFile } from './plan.ts';
import { all, files } from './testing/output-files.ts';
import { writeFiles } from './write.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

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

  test('refuses to overwrite a file of another program, and then changes nothing', async () => {
    writeFileSync(join(folder, 'b.json'), 'mine');
    const writing = writeFiles(folder, files({ 'a.json': '1', 'b.json': '2' }), all);
    await expect(writing).rejects.toMatchObject({ code: 'output-not-ours' });
    expect(present()).toEqual({ 'b.json': 'mine' });
    await writeFiles(folder, files({ 'b.json': '2' }), { ...all, force: true });
    expect(present()).toMatchObject({ 'b.json': '2' });
  });

  test('adopts a file of another program that has the same content', async () => {
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
