import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programFilesBeside } from './program-files-beside.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'meshpol-beside-'));
  for (const name of ['a/kustomization.yaml', 'a/p/patch.yaml', 'chart/Chart.yaml', 'chart/templates/x.yaml']) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `# ${name}\n`);
  }
});

afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, isFound = false) => ({
  path: join(folder, name),
  text: '',
  ...(isFound && { isFound: true as const }),
});

test('gives the files of Kustomize and Helm of the folder of a file, and of the one above', async () => {
  const beside = await programFilesBeside([file('a/p/patch.yaml'), file('chart/templates/x.yaml')]);
  expect(beside).toEqual([
    { path: join(folder, 'a/kustomization.yaml'), text: '# a/kustomization.yaml\n' },
    { path: join(folder, 'chart/Chart.yaml'), text: '# chart/Chart.yaml\n' },
  ]);
});

test('looks for none beside files of a folder that was named, nor beside standard input, and gives no input again', async () => {
  expect(await programFilesBeside([file('a/p/patch.yaml', true), { path: '-', text: '' }])).toEqual([]);
  expect(await programFilesBeside([file('a/kustomization.yaml')])).toEqual([]);
});
