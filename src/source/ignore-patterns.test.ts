import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decidingPattern, parseIgnorePatterns } from './ignore-patterns.ts';

function isLeftOut(text: string, path: string): boolean {
  const patterns = parseIgnorePatterns(text);
  // A file of a folder that is left out cannot be taken back.
  const names = path.split('/');
  return names.some((_, i) => {
    const isFolder = i < names.length - 1;
    const pattern = decidingPattern(patterns, names.slice(0, i + 1).join('/'), isFolder);
    return pattern !== undefined && !pattern.isNegated;
  });
}

const patterns = [
  ...['Chart.yaml', '/Chart.yaml', 'chart/', 'chart', 'chart/*.yaml', 'chart/**', '**/values.yaml', 'a/**/b.yaml'],
  ...['*.yaml', '*.y*ml', 'values?.yaml', '[a-c].yaml', '[!a].yaml', '[]x].yaml', '**/chart/**', 'a/**', '/*', '*'],
  ...['*.yaml\n!a.yaml', 'chart/\n!chart/a.yaml', '# a.yaml', '\\#a.yaml', '\\!a.yaml', 'a.yaml  ', 'b.yaml\\ ', ''],
  ...['a/b', '/a/', '**', 'a**c.yaml', 'ch*t/a.yaml', '*/a.yaml', '**/**/a.yaml', '[a.yaml', 'a\\*.yaml', '!a.yaml'],
];
const paths = [
  ...['Chart.yaml', 'chart/Chart.yaml', 'chart/a.yaml', 'chart/b/values.yaml', 'values.yaml', 'values1.yaml'],
  ...['a/b.yaml', 'a/x/b.yaml', 'a/x/y/b.yaml', 'a.yaml', 'b.yaml', 'b.yaml ', ']x.yaml', ']', '#a.yaml', '!a.yaml'],
  ...['a/b/c.yaml', 'abc.yaml', 'x/chart/y/a.yaml', 'x/a/b/c.yml', '[a.yaml', 'a*.yaml'],
];

describe('decidingPattern', () => {
  test('leaves out what git would leave out', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ignore-'));
    try {
      const git = (args: readonly string[], input = ''): string =>
        execFileSync('git', ['-c', 'core.excludesFile=', '-C', folder, ...args], { input, encoding: 'utf8' });
      git(['init', '-q']);
      for (const path of paths) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), '');
      }
      const differences = patterns.flatMap((text) => {
        writeFileSync(join(folder, '.gitignore'), text);
        const kept = git(['ls-files', '-z', '--others', '--exclude-standard']).split('\0');
        return paths
          .filter((path) => isLeftOut(text, path) === kept.includes(path))
          .map((path) => `${JSON.stringify(text)} ${path}`);
      });
      expect(differences).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('takes no longer than the pattern and the path are long', () => {
    const startedAt = performance.now();
    expect(isLeftOut(`${'a*'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
    expect(isLeftOut(`${'a/**/'.repeat(500)}b`, 'a/'.repeat(500))).toBe(false);
    for (const character of [' ', '/', '\\']) expect(isLeftOut(`a${character.repeat(1_000_000)}b`, 'a')).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
