import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from './bag.ts';
import { format } from './format.ts';

const text = 'kind: A\nspec:\n  retrys: 3\n';

function bagOf(build: (bag: DiagnosticBag) => void) {
  const bag = new DiagnosticBag();
  build(bag);
  return bag.all;
}

function one(line: string, start: number, end: number): string {
  const all = bagOf((bag) => bag.report('yaml-syntax', { file: 'a.yaml', start, end }, { reason: 'r' }));
  return format(all, [{ path: 'a.yaml', text: line }], 'text');
}

describe('format', () => {
  test('prints place, severity, message, code, source line, caret, hint, related places and a summary', () => {
    const all = bagOf((bag) =>
      bag.report(
        'unknown-field',
        { file: 'a.yaml', start: 16, end: 22 },
        { field: 'retrys', where: 'RetryPolicy' },
        {
          hint: 'did you mean "retries"?',
          related: [{ message: 'the object is here', span: { file: 'a.yaml', start: 0, end: 4 } }],
        },
      ),
    );
    const files = [
      { path: 'a.yaml', text },
      { path: 'b.yaml', text: '' },
    ];
    expect(format(all, files, 'text')).toBe(`a.yaml:3:3: error: unknown field "retrys" in RetryPolicy [unknown-field]
    retrys: 3
    ^~~~~~
  hint: did you mean "retries"?
  a.yaml:1:1: the object is here
1 error in 1 of 2 files
`);
  });

  test('sorts by file, line, column and code, and prints equal diagnostics once', () => {
    const all = bagOf((bag) => {
      for (const [file, start] of [
        ['b.yaml', 0],
        ['a.yaml', 8],
        ['a.yaml', 0],
        ['a.yaml', 8],
      ] as const) {
        bag.report('yaml-syntax', { file, start, end: start }, { reason: 'r' });
        bag.report('merge-key', { file, start, end: start }, {});
      }
      bag.report('empty-input', undefined, { what: 'it', thing: 'object' });
    });
    const lines = format(all, [{ path: 'a.yaml', text }], 'text').split('\n');
    expect(lines.filter((line) => line.includes('error: ')).map((line) => line.replace(/error: .*\[/, '['))).toEqual([
      '[empty-input]',
      'a.yaml:1:1: [merge-key]',
      'a.yaml:1:1: [yaml-syntax]',
      'a.yaml:2:1: [merge-key]',
      'a.yaml:2:1: [yaml-syntax]',
      'b.yaml:1:1: [merge-key]',
      'b.yaml:1:1: [yaml-syntax]',
    ]);
    expect(lines.at(-2)).toBe('7 errors in 2 of 2 files');
  });

  test('stops after the given number and counts the rest', () => {
    const all = bagOf((bag) => {
      for (let i = 0; i < 60; i++) bag.report('merge-key', { file: 'a.yaml', start: i, end: i }, {});
    });
    const printed = format(all, [{ path: 'a.yaml', text: 'x'.repeat(100) }], 'text');
    expect(printed.match(/\[merge-key\]/g)?.length).toBe(50);
    expect(printed).toContain('10 more not shown (--max-diagnostics 50)\n60 errors in 1 of 1 file\n');
  });

  test('escapes control characters and direction marks', () => {
    expect(one('a: \u001b[2J\u202e"x"', 3, 3)).toContain('  a: \\u001b[2J\\u202e"x"\n     ^');
  });

  test('keeps the caret under its character after tabs and escapes', () => {
    const [, line, caret] = one('\t\u0007ab', 2, 4).split('\n');
    expect(line?.slice(caret?.indexOf('^'))).toBe('ab');
  });

  test('cuts a long line around the caret', () => {
    const [, line, caret] = one(`${'x'.repeat(5000)}HERE${'y'.repeat(5000)}`, 5000, 5004).split('\n');
    expect(line?.length).toBeLessThan(130);
    expect(line?.slice(caret?.indexOf('^')).startsWith('HERE')).toBe(true);
    expect(caret).toMatch(/^ +\^~~~$/);
  });

  test('marks to the end of the line when the span goes on', () => {
    expect(one('a: |\n  b\n', 3, 9)).toContain('  a: |\n     ^\n');
  });

  test('prints JSON with lines and columns, and never cuts it', () => {
    const all = bagOf((bag) => {
      bag.report('empty-input', undefined, { what: 'it', thing: 'object' });
      bag.report('merge-key', { file: 'a.yaml', start: 16, end: 22 }, {});
    });
    expect(JSON.parse(format(all, [{ path: 'a.yaml', text }], 'json', { maxDiagnostics: 1 }))).toMatchObject({
      schemaVersion: 1,
      diagnostics: [
        { code: 'empty-input', severity: 'error' },
        { code: 'merge-key', file: 'a.yaml', line: 3, column: 3, endLine: 3, endColumn: 9 },
      ],
      summary: { errors: 2, warnings: 0, infos: 0, files: 1 },
    });
  });

  test('prints GitHub workflow commands with their escapes', () => {
    const all = bagOf((bag) => bag.report('yaml-syntax', { file: 'a,b.yaml', start: 0, end: 4 }, { reason: '5%\n' }));
    expect(format(all, [{ path: 'a,b.yaml', text }], 'github')).toBe(
      '::error file=a%2Cb.yaml,line=1,col=1,endLine=1,endColumn=5,title=yaml-syntax::cannot read this as YAML: 5%25%0A\n',
    );
  });

  test('prints nothing when there is nothing to say', () => {
    expect(format([], [], 'text')).toBe('');
    expect(format([], [], 'github')).toBe('');
  });
});
