import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { tries } from '../testing/effort.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';
import { reportOf } from './report.ts';
import { commentSuppressions } from './suppress/comments.ts';

const folder = 'fixtures/lint';
const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.bad.yaml'))
  .sort()
  .slice(0, 50)
  .map((name) => readFileSync(join(folder, name), 'utf8'));

/** The findings of one text, as a report; undefined where it does not compile. */
function lintText(text: string) {
  const files = [{ path: 'a.yaml', text }];
  const bag = new DiagnosticBag();
  const objects = createObjectReader()(files, bag);
  const snapshot = bag.hasErrors ? undefined : createAnalyser(defaultSettings, partialInput)(objects, bag);
  return snapshot && reportOf(lint(snapshot, { files }), files, { version: '', isFaulty: false });
}

test('lint looks at files that are cut off anywhere without a crash, and points into them', () => {
  const step = 23 / tries(1, 23);
  let looked = 0;
  for (const [i, text] of texts.entries()) {
    const ends = Array.from({ length: Math.ceil(text.length / step) }, (_, k) => (i % step) + k * step);
    for (const end of [...ends, text.length]) {
      const report = lintText(text.slice(0, end));
      if (report === undefined) continue;
      looked++;
      for (const { placed } of report.findings) expect(placed.place?.file ?? 'a.yaml').toBe('a.yaml');
    }
  }
  expect(looked).toBeGreaterThan(texts.length);
});

test.each([
  ['a long line of comments', `${'# meshpol-ignore '.repeat(200_000)}\n`],
  ['many comments that suppress nothing', '# meshpol-ignore MP304: x\n'.repeat(20_000)],
  ['blanks before a comment', `${' '.repeat(500_000)}#meshpol-ignore`],
])('comments are read in time: %s', (_, text) => {
  const start = performance.now();
  commentSuppressions([{ path: 'a.yaml', text }], new Set());
  expect(performance.now() - start).toBeLessThan(20_000);
});
