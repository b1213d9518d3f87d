import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A test that shows a line, written `path: name of the test`, or `path: name [row]` for one row of a table. */
export interface TestReference {
  readonly path: string;
  readonly name: string;
  readonly row: string | undefined;
}

/** Reads the form in which `fixtures/conformance.json` names a test; the name may hold colons, and is as its file spells it. */
export function parseTestReference(text: string): TestReference {
  const [, path = '', name = '', row] = /^([^:]*): (.*?)(?: \[([^\]]*)\])?$/s.exec(text) ?? [];
  return { path, name, row };
}

/**
 * Whether the test exists: its file is one that Vitest runs, holds the name as a text of its own, and the row stands in
 * that file, in a file of the same room that it imports, or names a folder of `fixtures/` that has a
 * golden, or one of a rule of lint.
 */
export function isThere({ path, name, row }: TestReference): boolean {
  if (!/\.(test|e2e)\.ts$/.test(path) || !existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  const titles = ["'", '"', '`'].map((quote) => emptied(`${quote}${name}${quote},`));
  const lines = emptied(text).split('\n');
  const isNamed = lines.some((line) => titles.some((title) => line.trim() === title || line.includes(`(${title}`)));
  return isNamed && (row === undefined || hasRow(path, text, row));
}

/** A local name inside `${…}` is no part of a test's name. */
export function emptied(text: string): string {
  return text.replace(/\$\{[^}]*\}/g, '…');
}

function hasRow(path: string, text: string, row: string): boolean {
  if (['golden/ok', 'golden/err', 'fixtures/lint'].some((folder) => existsSync(join(folder, row)))) return true;
  const imported = [...text.matchAll(/from '(\.\/[^']+)'/g)].map(([, file = '']) => join(dirname(path), file));
  return [text, ...imported.filter(existsSync).map((file) => readFileSync(file, 'utf8'))].some((it) =>
    it.includes(row),
  );
}
