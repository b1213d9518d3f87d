// inputs: templates src/compiler/template
// outputs: src/generated/templates.js src/generated/templates.d.ts src/generated/handlebars-templates.js src/generated/handlebars-templates.d.ts
// Compiles the templates twice: to functions that build the JSON, for every run, and to Handlebars' own form, for runs in
// which a user's templates replace some of them. A test holds that both give the same.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { viewShapes } from '../../src/compiler/template/view-shape.ts';
import { writeModule } from '../../src/compiler/template/write-module.ts';

const root = join(import.meta.dirname, '../..');
const outputFolder = join(root, 'src/generated');

const main = section(join(root, 'templates'), '.json.hbs');
const partials = section(join(root, 'templates/partials'), '.hbs');

mkdirSync(outputFolder, { recursive: true });
write('templates.js', writeModule(main, partials));
write(
  'templates.d.ts',
  `import type { BuildTemplate } from '../compiler/render/placing.ts';
/** Functions that build what the templates of the folder \`templates\` say, by name. */
export const mainTemplates: { ${main.map(({ name }) => `readonly ${name}: BuildTemplate`).join('; ')} };
`,
);
write(
  'handlebars-templates.js',
  `export const mainTemplates = ${precompiled(main)};\nexport const partialTemplates = ${precompiled(partials)};\nexport const viewShapes = ${JSON.stringify(viewShapes(main, partials))};\n`,
);
write(
  'handlebars-templates.d.ts',
  `import type { ViewShapes } from '../compiler/template/view-shape.ts';
/** The same templates, precompiled by Handlebars. */
export const mainTemplates: { ${main.map(({ name }) => `readonly ${name}: object`).join('; ')} };
export const partialTemplates: Readonly<Record<string, object>>;
/** Names that they read of their views. */
export const viewShapes: ViewShapes;
`,
);

function section(folder, suffix) {
  const files = readdirSync(folder).filter((file) => file.endsWith(suffix));
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return { name: file.slice(0, -suffix.length), text };
  });
}

function precompiled(templates) {
  const entries = templates.map(({ name, text }) => `  ${JSON.stringify(name)}: ${precompile(text)},\n`);
  return `{\n${entries.join('')}}`;
}

function precompile(text) {
  return Handlebars.precompile(text, {
    strict: true,
    noEscape: true,
    preventIndent: true,
    knownHelpers: { json: true },
    knownHelpersOnly: true,
  });
}

/** Renamed into place: another program may be reading. */
function write(name, text) {
  writeFileSync(join(outputFolder, `${name}.tmp`), text);
  renameSync(join(outputFolder, `${name}.tmp`), join(outputFolder, name));
}
