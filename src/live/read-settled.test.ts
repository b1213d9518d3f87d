import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { ReadThrough } from '../source/read.ts';
import { readSettledSources } from './read-settled.ts';

describe('readSettledSources', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'settled-'));
    for (const name of ['a.yaml', 'b.yaml', 'empty.yaml'])
      writeFileSync(join(folder, name), name[0] === 'e' ? '' : name);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What is read while, before the first reading of each file, something is done to it. */
  const readWhile = async (act: (path: string) => void): Promise<readonly (string | undefined)[]> => {
    const met = new Set<string>();
    const through: ReadThrough = (path, read) => {
      if (!met.has(path)) act(path);
      met.add(path);
      return read();
    };
    const bag = new DiagnosticBag();
    const files = await readSettledSources([folder], bag, { through, filesOnly: true });
    // What the looks before had to say is not said twice.
    expect(bag.all.map(({ code }) => code)).toEqual(['empty-file']);
    return files.map(({ path, text }) => text && path.slice(folder.length + 1));
  };

  test('leaves out a file that goes after it was found, and finds one that was given another name', async () => {
    const gone = (path: string): void => void (path.endsWith('b.yaml') && rmSync(path));
    expect(await readWhile(gone)).toEqual(['a.yaml', '']);
    const renamed = (path: string): void => void (path.endsWith('a.yaml') && renameSync(path, join(folder, 'c.yaml')));
    expect(await readWhile(renamed)).toEqual(['c.yaml', '']);
  });

  test('throws where a path stays missing, or files go one after the other without end', async () => {
    symlinkSync('nowhere', join(folder, 'dead.yaml'));
    await expect(readSettledSources([folder], new DiagnosticBag())).rejects.toThrow(
      `cannot read "${folder}/dead.yaml"`,
    );
    rmSync(join(folder, 'dead.yaml'));
    let count = 0;
    const replaced = (path: string): void => {
      if (!/[a-z]?\d*\.yaml$/.test(path) || path.endsWith('empty.yaml')) return;
      rmSync(path);
      writeFileSync(join(folder, `a${++count}.yaml`), '');
    };
    await expect(readWhile(replaced)).rejects.toThrow(/cannot read ".*\.yaml"/);
    expect(count).toBeGreaterThanOrEqual(10);
  });
});
