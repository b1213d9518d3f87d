// inputs: src/lint/rules
// outputs: src/generated/lint-rules.ts
// Lists the rules of the linter: a rule is a file of its own, and no file names them all.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const output = join(root, 'src/generated/lint-rules.ts');
const names = readdirSync(join(root, 'src/lint/rules'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();

const imports = names.map((name, i) => `import { rule as rule${i} } from '../lint/rules/${name}.ts';\n`);
const list = names.map((_, i) => `rule${i}`).join(', ');
const text = `import type { Rule } from '../lint/rule.ts';
${imports.join('')}
/** The rules of the folder \`src/lint/rules\`, sorted by code. */
export const rules: readonly Rule[] = [${list}];
`;

mkdirSync(join(root, 'src/generated'), { recursive: true });
// Renamed into place: another program may be reading.
writeFileSync(`${output}.tmp`, text);
renameSync(`${output}.tmp`, output);
