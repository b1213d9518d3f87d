// inputs: schemas src/schema/formats.ts src/schema/complaint.ts
// outputs: src/generated/validators.js src/generated/validators.d.ts src/generated/configuration-validators.js src/generated/configuration-validators.d.ts
// Compiles the JSON Schemas to two modules of validators, so that no schema is compiled while a program runs: of objects, and of
// configurations, which an agent reads before it starts Envoy.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const output = join(root, 'src/generated');
const formatsModule = '../schema/formats.ts';
const complaintModule = './src/schema/complaint.ts';
const annotations = new Set(['description', 'title', '$schema', 'examples']);

// Of what is written and never read.
const withoutValidator = new Set(['lint-report.json']);

const schemas = readdirSync(join(root, 'schemas'))
  .filter((name) => name.endsWith('.json') && !withoutValidator.has(name))
  .sort()
  .map((name) => withoutAnnotations(JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'))));
const configurations = new Set(['mesh-config.json', 'policy-test.json', 'project-file.json', 'proxy-config.json']);

const ajv = new Ajv.default({
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  logger: false,
  unicode: false,
  inlineRefs: false,
  messages: false,
  code: { source: true, esm: true, lines: false, formats: _`formatFunctions` },
});
for (const format of formatNames(schemas)) ajv.addFormat(format, () => true);
// Keywords of our own, each made of standard ones; editors pass over them.
ajv.addKeyword({ keyword: 'x-unsupported', macro: () => false });
// Values that a rule refuses by name: a message that lists values leaves them out.
ajv.addKeyword({ keyword: 'x-refused-values', schemaType: 'array' });
// Values that others know, and that are not supported: a message says so in place of listing those that are.
ajv.addKeyword({ keyword: 'x-unsupported-values', schemaType: 'object' });
ajv.addKeyword({ keyword: 'x-at-most-one', macro: (names) => ({ not: { anyOf: pairs(names).map(required) } }) });
ajv.addKeyword({ keyword: 'x-at-least-one', macro: (names) => ({ anyOf: names.map((name) => required([name])) }) });
for (const schema of schemas) ajv.addSchema(schema);

mkdirSync(output, { recursive: true });
await writeValidators('validators', ({ $id }) => $id !== 'common.json' && !configurations.has($id));
await writeValidators('configuration-validators', ({ $id }) => configurations.has($id));

/** The module of this name, with the validators of the chosen schemas. */
async function writeValidators(name, isChosen) {
  const exported = Object.fromEntries(schemas.filter(isChosen).map(({ $id }) => [exportName($id), $id]));
  const code = shortened(standalone.default(ajv, exported));
  const formatTable = [...formatNames(schemas)]
    .sort()
    .map((format) => `${JSON.stringify(format)}: (text) => holdsFormat(${JSON.stringify(format)}, text)`);
  const source = `import { holdsFormat } from ${JSON.stringify(formatsModule)};
import { complain } from ${JSON.stringify(complaintModule)};
const formatFunctions = { ${formatTable.join(', ')} };
${code}`;
  const bundled = await build({
    stdin: { contents: source, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node22.19',
    minify: true,
    external: [formatsModule],
    logLevel: 'warning',
  });
  write(`${name}.js`, bundled.outputFiles[0].text);
  write(`${name}.d.ts`, declarations(Object.keys(exported)));
}

/**
 * Complaints are two thirds of the generated text, and every program reads it when it starts: one call of a function
 * takes the place of each.
 */
function shortened(text) {
  const complaint =
    /const (err\d+) = \{instancePath(?::([^{}]*?))?,schemaPath:("(?:[^"\\]|\\.)*"),keyword:("[^"]*"),params:(\{(?:(?!const err).)*?\}),schema:(?:(?!const err).)*?,parentSchema:([^,{}]*),data(?::([\w.[\]]+))?(?:,propertyName:(\w+))?\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g;
  const short = text.replace(
    complaint,
    (_all, _name, path = 'instancePath', schemaPath, keyword, params, parent, data = 'data', key) => {
      const isOfOwnKeyword = /\/x-[a-z-]+\//.test(schemaPath);
      const more = key === undefined ? (isOfOwnKeyword ? ', undefined, true' : '') : `, ${key}, ${isOfOwnKeyword}`;
      return `vErrors = complain(vErrors, ${path}, ${keyword}, ${params}, ${parent}, ${data}${more});errors++;`;
    },
  );
  const left = short.match(/const err\d+ = \{i.{0,400}/);
  if (left !== null) throw new Error(`ajv wrote a complaint in another form: ${left[0]}`);
  return short;
}

/** Renamed into place: another program may be reading. */
function write(name, text) {
  writeFileSync(join(output, `${name}.tmp`), text);
  renameSync(join(output, `${name}.tmp`), join(output, name));
}

function declarations(names) {
  const functions = names.map((name) => `export const ${name}: SchemaValidator;\n`);
  return `import type { SchemaValidator } from '../schema/validator.ts';\n${functions.join('')}`;
}

function exportName(id) {
  return id.replace('.json', '').replace(/-(.)/g, (_match, letter) => letter.toUpperCase());
}

/** What is meant for readers would only make the module larger. A property may be called `description`. */
function withoutAnnotations(node, isPropertyMap = false) {
  if (Array.isArray(node)) return node.map((item) => withoutAnnotations(item));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => isPropertyMap || !annotations.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      withoutAnnotations(value, !isPropertyMap && (key === 'properties' || key === '$defs')),
    ]),
  );
}

function formatNames(node, found = new Set()) {
  if (typeof node !== 'object' || node === null) return found;
  if (typeof node.format === 'string') found.add(node.format);
  for (const value of Object.values(node)) formatNames(value, found);
  return found;
}

function required(names) {
  return { required: names };
}

function pairs(names) {
  return names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b]));
}
