import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { fieldCodes } from '../diagnostics/catalogue/field.ts';
import { policyCodes } from '../diagnostics/catalogue/policy.ts';
import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import { parse } from '../source/parse.ts';
import { faultCases } from './testing/fault-cases.ts';
import { countSkipped, validate } from './validate.ts';

const codes = [...Object.keys(fieldCodes), ...Object.keys(policyCodes)];

describe('validate', () => {
  test.each(faultCases)('reports %s once, at %s', (name, place) => {
    expect(faultsOf(name)).toEqual([[codeOf(name), place]]);
  });

  test('has a case for every code of policies', () => {
    const shown = new Set(faultCases.map(([name]) => codeOf(name)));
    expect(codes.filter((code) => !shown.has(code))).toEqual([]);
  });
});

/** The longest code that the name begins with. */
function codeOf(name: string): string {
  const matching = codes.filter((code) => name === code || name.startsWith(`${code}-`));
  return matching.sort((a, b) => b.length - a.length)[0] ?? 'none';
}

function faultsOf(name: string): [string, string][] {
  const path = `fixtures/err/${name}/policy.yaml`;
  const text = readFileSync(path, 'utf8');
  const bag = new DiagnosticBag();
  const documents = parse([{ path, text }], bag);
  for (const document of documents) validate(document, bag);
  countSkipped(documents, bag);
  const starts = lineStarts(text);
  return bag.all.map(({ code, span }) => {
    if (span === undefined) return [code, '-'];
    const { line, column } = lineAndColumn(starts, span.start);
    return [code, `${line}:${column}`];
  });
}
