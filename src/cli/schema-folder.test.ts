import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { schemaKinds } from '../library/schemas.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

interface Catalogue {
  readonly schemas: readonly { readonly fileMatch: readonly string[]; readonly url: string }[];
}

const page = readFileSync('docs/guides/editors.md', 'utf8');
const read = (path: string): object => JSON.parse(readFileSync(path, 'utf8'));

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function validatorOf(path: string): ValidateFunction {
  return new Ajv.default({ strict: false, validateFormats: false, logger: false }).compile(read(path));
}

test('the commands of the page on editors write the files that it names, and its YAML and JSON use them', async () => {
  const folder = folderOfTest();
  const [command, lint] = [...page.matchAll(/```sh\nmeshpol (.*)\n```/g)].map(([, line = '']) => line);
  const { code, out } = await meshpol(command?.replace(/schemas$/, join(folder, 'schemas')) ?? '');
  expect(code).toBe(0);
  const files = readdirSync(join(folder, 'schemas'));
  expect(files.sort()).toEqual([...schemaKinds().map((kind) => `${kind}.json`), 'catalog.json', 'all.json'].sort());
  const named = [...page.matchAll(/`(?:\.\/schemas\/)?([A-Za-z]+\.json)`|"\.\/schemas\/([A-Za-z]+\.json)"/g)];
  expect(named.map(([, a, b]) => a ?? b ?? '').filter((name) => !files.includes(name))).toEqual([]);
  const [, address = ''] = /^# yaml-language-server: \$schema=(file:.*)\n$/.exec(out) ?? [];
  expect(fileURLToPath(address)).toBe(join(folder, 'schemas/all.json'));
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const validate = validatorOf(fileURLToPath(address));
  expect(parseAllDocuments(yaml).map((document) => validate(document.toJS()))).toEqual([true]);
  expect(parseAllDocuments(yaml.replace('STRICT', 'STRIKT')).map((document) => validate(document.toJS()))).toEqual([
    false,
  ]);
  writeFileSync(join(folder, 'policy.yaml'), yaml);
  expect(await meshpol(lint?.replace('policies/', folder) ?? '')).toMatchObject({ code: 0, out: '' });
});

test('the catalogue names schemas that are there, for YAML files and for the project file', async () => {
  const folder = folderOfTest();
  await meshpol(`schema --all -o ${folder}`);
  // A second run takes the place of the first.
  expect((await meshpol(`schema --all -o ${folder}`)).code).toBe(0);
  const { schemas } = read(join(folder, 'catalog.json')) as Catalogue;
  expect(schemas.flatMap(({ fileMatch }) => fileMatch)).toEqual(['*.yaml', '*.yml', '.meshpol.yaml']);
  const [, ofProject] = schemas.map(({ url }) => validatorOf(fileURLToPath(url)));
  expect(ofProject?.({ lint: { failOn: 'warning' } })).toBe(true);
  expect(ofProject?.({ lint: { failOn: 'warnings' } })).toBe(false);
});
