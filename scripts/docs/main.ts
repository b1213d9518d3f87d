import { readFileSync, writeFileSync } from 'node:fs';
import { generatedDocuments } from './documents.ts';

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, text] of generatedDocuments()) {
  if (read(path) === text) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(path, text);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(`stale: ${stale.join(', ')}; write them again with "make docs"\n`);
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
