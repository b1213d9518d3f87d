import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Handlebars from 'handlebars';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
const sourceFolder = join(root, 'templates');
const outputFolder = join(root, 'src/generated');

/** Line breaks and indentation cannot stand inside a JSON string, so they may go. */
class Minifier extends Handlebars.Visitor {
  ContentStatement(content) {
    content.value = content.value.replace(/\s*\n\s*/g, '').replace(/^ +/, '');
  }
}

async function precompiled(path) {
  const text = await readFile(path, 'utf8');
  const ast = Handlebars.parse(text);
  new Minifier().accept(ast);
  const source = Handlebars.precompile(ast, {
    strict: true,
    noEscape: true,
    preventIndent: true,
    knownHelpers: { json: true },
    knownHelpersOnly: true,
  });
  return { text, source };
}

async function section(folder, suffix) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();
  const entries = [];
  for (const file of files) {
    entries.push({ name: file.slice(0, -suffix.length), ...(await precompiled(join(folder, file))) });
  }
  return entries;
}

const record = (entries) =>
  `{\n${entries.map(({ name, source }) => `  ${JSON.stringify(name)}: ${source},\n`).join('')}}`;

const main = await section(sourceFolder, '.json.hbs');
const partials = await section(join(sourceFolder, 'partials'), '.hbs');
const digest = createHash('sha256');
for (const { name, text } of [...main, ...partials]) digest.update(`${name}\0${text}\0`);

await mkdir(outputFolder, { recursive: true });
await writeFile(
  join(outputFolder, 'templates.js'),
  [
    `export const mainTemplates = ${record(main)};`,
    `export const partialTemplates = ${record(partials)};`,
    `export const digest = ${JSON.stringify(digest.digest('hex'))};`,
    '',
  ].join('\n'),
);
await writeFile(
  join(outputFolder, 'templates.d.ts'),
  [
    '/** Precompiled templates by name; made from the folder `templates`. */',
    `export const mainTemplates: { ${main.map(({ name }) => `readonly ${name}: object`).join('; ')} };`,
    'export const partialTemplates: Readonly<Record<string, object>>;',
    '/** SHA-256 over the texts of all templates. */',
    'export const digest: string;',
    '',
  ].join('\n'),
);
