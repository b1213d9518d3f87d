// inputs: deploy/manifest
// outputs: src/generated/manifest-parts.ts
// Puts the parts of the manifest of meshd into the program, which prints them.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/manifest');
const output = join(root, 'src/generated/manifest-parts.ts');
const parts = readdirSync(folder)
  .sort()
  .map((file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')]);
const entries = parts.map(([name, text]) => `  ${name}: ${JSON.stringify(text)},\n`).join('');
const text = `/** The files of the folder \`deploy/manifest\`, by name. */
export const manifestParts = {
${entries}} as const;
`;

mkdirSync(join(root, 'src/generated'), { recursive: true });
// Renamed into place: another program may be reading.
writeFileSync(`${output}.tmp`, text);
renameSync(`${output}.tmp`, output);
