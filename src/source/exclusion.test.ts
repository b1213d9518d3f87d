import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readSources } from './read.ts';

let folder: string;
let bag: DiagnosticBag;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exclusion-'));
  bag = new DiagnosticBag();
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe('readSources with --exclude and .meshpolignore', () => {
  const found = async (exclude: readonly string[], named = folder): Promise<string[]> =>
    (await readSources([named], bag, { exclude })).map(({ path }) => path.slice(folder.length + 1));
  const told = (): string[] => bag.all.map(({ message }) => message.replaceAll(`${folder}/`, ''));
  beforeEach(() => {
    for (const name of ['a.yaml', 'chart/Chart.yaml', 'chart/b.yaml', 'chart/old/c.yaml']) write(name, 'x');
  });

  test('leaves out files and folders, and says which', async () => {
    expect(await found(['Chart.yaml', '/chart/old/'])).toEqual(['a.yaml', 'chart/b.yaml']);
    expect(told()).toEqual(['left out by --exclude or .meshpolignore: chart/Chart.yaml, chart/old/']);
  });

  test('reads the list of a folder for it and those below, the nearest one first', async () => {
    write('.meshpolignore', '# all but one\nchart/*\n!chart/old\n');
    write('chart/old/.meshpolignore', '!c.yaml\n');
    expect(await found([])).toEqual(['a.yaml', 'chart/old/c.yaml']);
    expect(await found(['c.yaml'])).toEqual(['a.yaml']);
  });

  test('leaves out what is named itself, by its path as written', async () => {
    expect(await found(['a.yaml'], `${folder}/a.yaml`)).toEqual([]);
    expect(told()).toEqual(['the input contains no object', 'left out by --exclude or .meshpolignore: a.yaml']);
  });

  test('a list below a named folder does not hide a file that is named', async () => {
    write('.meshpolignore', 'a.yaml\n');
    expect(await found([], `${folder}/a.yaml`)).toEqual(['a.yaml']);
  });

  test('warns of a pattern that leaves nothing out', async () => {
    await found(['Chart.yml', 'Chart.yaml']);
    expect(told()[0]).toBe('--exclude "Chart.yml" matches nothing in the inputs');
  });

  test('refuses a list that is a link out of the folder, or a device', async () => {
    symlinkSync('/etc/hostname', join(folder, 'chart/.meshpolignore'));
    await expect(found([])).rejects.toThrow(/chart\/\.meshpolignore" is a link out of the folder/);
    rmSync(join(folder, 'chart/.meshpolignore'));
    mkdirSync(join(folder, 'chart/.meshpolignore'));
    await expect(found([])).rejects.toThrow(/\.meshpolignore" is no list of patterns/);
  });
});
