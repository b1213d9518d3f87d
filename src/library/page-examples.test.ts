import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf } from './testing/page-examples.ts';

const [, , , evaluated, linted, ofOwnRule] = blocksOf(readFileSync('docs/reference/library.md', 'utf8'));

// The messages of rules change; package.e2e.ts runs all examples with the packed package.
test.each([
  ['of evaluate that asks about two requests', evaluated],
  ['of lint that fixes a policy', linted],
  ['of lint with a rule of a user', ofOwnRule],
])('the example %s prints what the page says', (_, { code, output }) => {
  const folder = mkdtempSync(join(tmpdir(), 'library-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const library = pathToFileURL(join(import.meta.dirname, 'library.ts')).href;
  writeFileSync(join(folder, 'example.mjs'), code.replace("'mesh-policy-compiler'", `'${library}'`));
  expect(execFileSync(process.execPath, [join(folder, 'example.mjs')], { encoding: 'utf8' })).toBe(output);
});
