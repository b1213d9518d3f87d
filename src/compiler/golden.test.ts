import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { format } from '../diagnostics/format.ts';
import { planFiles } from '../output/plan.ts';
import { compileFixture, fixtureNames, readFixture } from '../testing/fixture.ts';

const isUpdate = process.env.UPDATE_GOLDEN === '1';

describe('fixtures/ok', () => {
  const names = fixtureNames('fixtures/ok');

  test.each(names)('%s gives its golden files', async (name) => {
    const fixture = await readFixture('fixtures/ok', name);
    const compilation = compileFixture(fixture);
    const diagnostics = format(fixture.bag.all, fixture.sources, 'text');
    if (compilation === undefined) throw new Error(diagnostics);
    const files = [...planFiles(compilation, { files: fixture.sources })].map(
      ({ path, text }) => [path, text] as const,
    );
    expectGolden(join('golden/ok', name), new Map([...files, ...textFile('diagnostics.txt', diagnostics)]));
  });

  noOrphans('golden/ok', names);
});

describe('fixtures/err', () => {
  const names = fixtureNames('fixtures/err');

  test.each(names)('%s gives its diagnostics', async (name) => {
    const fixture = await readFixture('fixtures/err', name);
    const compilation = compileFixture(fixture);
    const diagnostics = format(fixture.bag.all, fixture.sources, 'text');
    expect(diagnostics).not.toBe('');
    expect(compilation === undefined).toBe(fixture.bag.hasErrors);
    expectGolden(join('golden/err', name), new Map(textFile('diagnostics.txt', diagnostics)));
  });

  noOrphans('golden/err', names);
});

/** No file for no text. */
function textFile(path: string, text: string): [string, string][] {
  return text === '' ? [] : [[path, text.endsWith('\n') ? text : `${text}\n`]];
}

/** Compares a folder with the files that it should hold, or writes it. */
function expectGolden(folder: string, files: ReadonlyMap<string, string>): void {
  if (isUpdate) {
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  expect(filesBelow(folder)).toEqual([...files.keys()].sort());
  for (const [path, text] of files) expect(readFileSync(join(folder, path), 'utf8'), path).toBe(text);
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function noOrphans(folder: string, names: readonly string[]): void {
  afterAll(() => {
    if (!isUpdate) return;
    for (const name of fixtureNames(folder)) {
      if (!names.includes(name)) rmSync(join(folder, name), { recursive: true });
    }
  });

  test('has no golden without a case', () => {
    if (!isUpdate) expect(fixtureNames(folder)).toEqual(names);
  });
}
