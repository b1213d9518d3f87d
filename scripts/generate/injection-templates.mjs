// inputs: deploy/injection
// outputs: src/generated/injection-templates.js src/generated/injection-templates.d.ts
// Compiles the templates of injection to Handlebars' own form.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { templateOptions } from '../../src/injection/template-options.ts';

const root = join(import.meta.dirname, '../..');
const outputFolder = join(root, 'src/generated');

mkdirSync(outputFolder, { recursive: true });
write(
  'injection-templates.js',
  `export const injectionTemplates = ${section('deploy/injection', '.yaml.hbs')};
export const injectionPartials = ${section('deploy/injection/partials', '.hbs')};
`,
);
write(
  'injection-templates.d.ts',
  `/** The templates of the folder \`deploy/injection\` by name, precompiled by Handlebars. */
export const injectionTemplates: Readonly<Record<string, object>>;
/** What they have in common. */
export const injectionPartials: Readonly<Record<string, object>>;
`,
);

function section(folder, suffix) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(suffix));
  const entries = files.sort().map((file) => {
    const text = readFileSync(join(root, folder, file), 'utf8');
    return `  ${JSON.stringify(file.slice(0, -suffix.length))}: ${Handlebars.precompile(text, templateOptions)},\n`;
  });
  return `{\n${entries.join('')}}`;
}

/** Renamed into place: another program may be reading. */
function write(name, text) {
  writeFileSync(join(outputFolder, `${name}.tmp`), text);
  renameSync(join(outputFolder, `${name}.tmp`), join(outputFolder, name));
}
