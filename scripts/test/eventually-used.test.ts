import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no test has a bound of its own for what must come: a busy machine is slower than any of them', () => {
  const files = globSync('{src,e2e,scripts,bench}/**/*.ts').filter((file) => file !== 'src/testing/eventually.ts');
  expect(files.length).toBeGreaterThan(1_000);
  const own = /\bvi\.wait(For|Until)\b/;
  expect(
    files.filter((file) => !file.endsWith('eventually-used.test.ts') && own.test(readFileSync(file, 'utf8'))),
  ).toEqual([]);
});
