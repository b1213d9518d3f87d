import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const runTs = fileURLToPath(new URL('run-ts.mjs', import.meta.url));

/** What a program of the folder prints. */
async function printed(cwd: string, file: string): Promise<string> {
  const child = spawn(process.execPath, [runTs, file], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text;
}

test('programs of one name that are run at once each do their own work, every time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-ts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['first', 'second']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'main.ts'), `const text: string = '${name}';\nprocess.stdout.write(text);\n`);
  }
  const names = Array.from({ length: 4 }, () => ['first', 'second']).flat();
  const texts = await Promise.all(names.map((name) => printed(folder, `${name}/main.ts`)));
  expect(texts).toEqual(names);
});
