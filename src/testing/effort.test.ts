import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every property says by effort.ts how often it is tried, so that make soak tries it more often', () => {
  const files = globSync('{src,e2e,scripts}/**/*.ts').filter((file) => !file.endsWith('effort.test.ts'));
  const properties = files
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => /fc\.(?:assert|check)\(/.test(text));
  expect(properties.length).toBeGreaterThan(30);
  expect(
    properties.filter(({ text }) => !text.includes("testing/effort.ts'") && !text.includes("'./effort.ts'")),
  ).toEqual([]);
  expect(properties.filter(({ text }) => /numRuns: \d/.test(text.replaceAll(/fc\.sample\(.*/g, '')))).toEqual([]);
});
