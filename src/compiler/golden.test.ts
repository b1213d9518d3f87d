import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { format } from '../diagnostics/format.ts';
import { planFiles } from '../output/plan.ts';
import { compileFixture, fixtureNames, readFixture } from '../testing/fixture.ts';
import { baseCase } from '../testing/golden/base-case.ts';
import { filesBelow, goldenFiles } from '../testing/golden/read.ts';
import { type CaseFiles, changesFile, newlyDifferent, storedForm, wholeForm } from '../testing/golden/stored-form.ts';
import { createSummary } from '../testing/golden/summary.ts';
import type { Delivery } from './render/resource.ts';

const isUpdate = process.env.UPDATE_GOLDEN === '1';

describe('fixtures/ok', () => {
  const names = fixtureNames('fixtures/ok');
  const bases = new Map(names.map((name) => [name, baseCase(name)]));
  const compiled = new Map<string, CaseFiles>();
  const summary = isUpdate ? createSummary(fixtureNames('golden/ok'), goldenFiles) : undefined;

  /** What a case compiles to; that of a base is kept for the cases that build on it. */
  const filesOf = async (name: string): Promise<CaseFiles> => {
    const files = compiled.get(name) ?? (await compileCase(name));
    if ([...bases.values()].includes(name)) compiled.set(name, files);
    return files;
  };

  test.each(names)('%s gives its golden files', async (name) => {
    const files = await filesOf(name);
    const base = bases.get(name);
    const baseFiles = base === undefined ? undefined : await filesOf(base);
    const stored =
      base === undefined || baseFiles === undefined ? files : storedForm(files, { name: base, files: baseFiles });
    summary?.add(name, files);
    expectGolden(join('golden/ok', name), stored);
    // What is stored says everything: the whole files come out of it again, which the real Envoy loads.
    if (baseFiles !== undefined)
      expectFiles(
        wholeForm(stored, () => baseFiles),
        files,
      );
  });

  noOrphans('golden/ok', names);

  afterAll(() => {
    if (summary !== undefined) process.stdout.write(summary.text());
  });
});

/** Cases whose form for a control plane is stored too, as it differs from the form of files. */
const served = [
  'gateway-http',
  'plain-client',
  'service-endpoint-unready',
  'service-headless-http',
  'service-without-endpoints',
  'sidecar-ingress',
  'sidecar-listener-bound',
  'sidecar-of-workload',
] as const;

describe('fixtures/ok with delivery ads', () => {
  test.each(served)('%s gives its golden files', async (name) => {
    const base = { name, files: await compileCase(name) };
    const files = await compileCase(name, 'ads');
    const stored = storedForm(files, base);
    expectGolden(join('golden/ads', name), stored);
    expectFiles(
      wholeForm(stored, () => base.files),
      files,
    );
  });

  noOrphans('golden/ads', served);
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

async function compileCase(name: string, delivery: Delivery = 'files'): Promise<CaseFiles> {
  const fixture = await readFixture('fixtures/ok', name);
  const compilation = compileFixture(fixture, delivery);
  const diagnostics = format(fixture.bag.all, fixture.sources, 'text');
  if (compilation === undefined) throw new Error(diagnostics);
  const files = [...planFiles(compilation, { files: fixture.sources })].map(({ path, text }) => [path, text] as const);
  const endpoints = compilation.configs.flatMap(({ namespace, workload, endpoints: own }) => {
    const text = JSON.stringify(
      own.map(({ json }) => json),
      null,
      2,
    );
    return own.length === 0 ? [] : textFile(`${namespace}/${workload}/endpoints.json`, text);
  });
  return new Map([...files, ...endpoints, ...textFile('diagnostics.txt', diagnostics)]);
}

/** No file for no text. */
function textFile(path: string, text: string): [string, string][] {
  return text === '' ? [] : [[path, text.endsWith('\n') ? text : `${text}\n`]];
}

/** Compares a folder with the files that it should hold, or writes it. */
function expectGolden(folder: string, files: CaseFiles): void {
  if (isUpdate) {
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  const golden = filesBelow(folder);
  const different = newlyDifferent(golden.get(changesFile), files.get(changesFile));
  expect
    .soft(different, `${folder}: these files were as in its base, "make golden" stores how they differ`)
    .toEqual([]);
  expectFiles(golden, files);
}

function expectFiles(found: CaseFiles, files: CaseFiles): void {
  expect([...found.keys()].sort()).toEqual([...files.keys()].sort());
  for (const [path, text] of files) expect(found.get(path), path).toBe(text);
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
