import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { sourceCodes } from '../diagnostics/catalogue/source.ts';
import { parse } from './parse.ts';

const root = join(import.meta.dirname, '../../fixtures/err');
const codes = Object.keys(sourceCodes);
const codeOf = (name: string): string | undefined =>
  codes.filter((code) => name === code || name.startsWith(`${code}-`)).sort((a, b) => b.length - a.length)[0];

test.each(readdirSync(root).filter((name) => codeOf(name) !== undefined))('%s gives one diagnostic', (name) => {
  const folder = join(root, name);
  const bag = new DiagnosticBag();
  parse(
    readdirSync(folder).map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })),
    bag,
  );
  expect(bag.all.map(({ code }) => code)).toEqual([codeOf(name)]);
});
