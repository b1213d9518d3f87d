import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Takes lines out and puts lines in where the hunks say, and insists on what they say is there. */
function applyPatch(text: string, patch: string): string {
  const end = '\n\\ No newline at end of file';
  const lines = text.split(/(?<=\n)/).filter((line) => line !== '');
  const total = lines.length;
  const out: string[] = [];
  for (const hunk of patch.split(/^(?=@@ )/m).slice(1)) {
    const [, start, length] = /^@@ -(\d+)(?:,(\d+))? /.exec(hunk) ?? [];
    const first = length === '0' ? Number(start) : Number(start) - 1;
    out.push(...lines.splice(0, first - (total - lines.length)));
    for (const row of hunk
      .slice(hunk.indexOf('\n') + 1)
      .replaceAll(end, '\u0000')
      .split('\n')
      .filter((one) => one !== '')) {
      const line = row.slice(1).endsWith('\u0000') ? row.slice(1, -1) : `${row.slice(1)}\n`;
      if (row[0] !== '+') expect(lines.shift()).toBe(line);
      if (row[0] !== '-') out.push(line);
    }
  }
  return [...out, ...lines].join('');
}

describe('unifiedDiff', () => {
  test('is empty for equal texts', () => {
    expect(unifiedDiff('a', 'x\n', 'x\n')).toBe('');
  });

  test('shows three lines of context and joins near changes', () => {
    const before = Array.from({ length: 30 }, (_, i) => `${i}\n`).join('');
    const after = before.replace('\n5\n', '\nfive\n').replace('\n9\n', '\n').replace('\n25\n', '\n25\nmore\n');
    expect(unifiedDiff('f', before, after).split('\n')).toEqual([
      ...['--- a/f', '+++ b/f', '@@ -3,11 +3,10 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8', '-9', ' 10'],
      ...[' 11', ' 12', '@@ -24,6 +23,7 @@', ' 23', ' 24', ' 25', '+more', ' 26', ' 27', ' 28', ''],
    ]);
  });

  test('makes a patch that turns the one text into the other', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'd e');
    const text = fc.tuple(fc.array(line, { maxLength: 30 }), fc.boolean()).map(([lines, isWhole]) => {
      const joined = lines.map((one) => `${one}\n`).join('');
      return isWhole ? joined : joined.replace(/\n$/, '');
    });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applyPatch(before, unifiedDiff('f', before, after))).toBe(after);
      }),
      runs(),
    );
  });

  test('gives up the search for the shortest form when texts have little in common', () => {
    const many = (mark: string): string => Array.from({ length: 20_000 }, (_, i) => `${mark}${i}\n`).join('');
    expect(unifiedDiff('f', many('a'), many('b'))).toContain('@@ -1,20000 +1,20000 @@');
  });

  test('shows hundreds of thousands of new lines on the stack that a program has', () => {
    const text = `'line\\n'.repeat(300_000)`;
    const script = `import { unifiedDiff } from ${JSON.stringify(import.meta.resolve('./unified-diff.ts'))};
      console.log(unifiedDiff('f', undefined, ${text}).split('\\n+line').length);`;
    const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).toBe('300001\n');
  });
});
