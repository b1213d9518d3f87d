import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkFiles } from './check.ts';
import { claimPrefix } from './claim.ts';
import { manifestName } from './manifest.ts';
import type { OutputFile } from './plan.ts';
import { all, files } from './testing/output-files.ts';
import { writeFiles } from './write.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('runs that write to one folder', () => {
  test('write one after the other into a new folder that all begin with at the same time, each whole', async () => {
    const out = join(folder, 'new');
    const texts = (run: number) =>
      files(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${run}/${i}/x.json`, String(run)])));
    const shared = (run: number) => [...texts(run), ...files({ 'a.json': String(run), 'z.json': String(run) })];
    await Promise.all([1, 2, 3, 4].map((run) => writeFiles(out, shared(run), all)));
    const last = Number(readFileSync(join(out, 'a.json'), 'utf8'));
    expect(readdirSync(out)).toEqual([manifestName, String(last), 'a.json', 'z.json']);
    expect(await checkFiles(out, shared(last), all)).toEqual({ isSame: true, text: '' });
  });

  test('leave the stage of a run that goes on, and say after a time that another run writes to the folder', async () => {
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
    expect(readdirSync(folder)).toEqual([manifestName, 'a.json', 'c.json']);
    const texts = [manifestName, 'a.json', 'c.json'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts).toEqual(['a.json\nc.json\n', '1', '1']);
  });

  test('remove a stage whose process number another process has now, and wait for one of another machine', async () => {
    const names: string[] = [];
    const spy = function* (): Generator<OutputFile> {
      names.push(...readdirSync(folder).filter((name) => name.startsWith(claimPrefix)));
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

  test('leave nothing behind where a stage cannot be looked at', async () => {
    const circle = `${claimPrefix}0-1-1-00`;
    symlinkSync(circle, join(folder, circle));
    await expect(writeFiles(folder, [], all)).rejects.toMatchObject({ code: 'output-unwritable' });
    expect(readdirSync(folder)).toEqual([circle]);
  });
});
