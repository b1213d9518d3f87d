import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every property says by effort.ts how often it is tried, so that make soak tries it more often', () => {
  const files = globSync('{src,e2e,scripts}/**/*.ts').filter((file) => !file.endsWith('effort.test.ts'));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const properties = [...texts].filter(([, text]) => /fc\.(?:assert|check)\(/.test(text));
  expect(properties.length).toBeGreaterThan(30);
  const bySelf = properties.filter(([, text]) => !/\/effort\.ts'/.test(text) || /^ *\{ numRuns: \d/m.test(text));
  expect(bySelf.map(([file]) => file)).toEqual([]);
});
