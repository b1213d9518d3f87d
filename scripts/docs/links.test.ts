import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pagePaths } from './index-pages.ts';
import { brokenLinks } from './links.ts';

const pages = ['README.md', 'CONTRIBUTING.md', 'fixtures/README.md', ...['docs', 'examples'].flatMap(markdownBelow)];

describe('links', () => {
  test.each(pages)('every link of %s leads to a file and a heading that exist', (path) => {
    expect(brokenLinks(path)).toEqual([]);
  });

  test('brokenLinks finds a missing file and a missing heading, and ignores code and addresses', () => {
    const folder = mkdtempSync(join(tmpdir(), 'links-'));
    const path = join(folder, 'page.md');
    const links = '[a](no.md) [b](#none) [c](#of-one-word) [d](https://example.com/x) `[e](no.md)`';
    writeFileSync(path, `# Page\n\n${links}\n\n## Of \`one\` word\n\n\`\`\`\n[f](no.md)\n# None\n\`\`\`\n`);
    try {
      expect(brokenLinks(path)).toEqual(['no.md', '#none']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test.each([...pages, 'CHANGELOG.md', 'SECURITY.md'])('%s has no marks of a merge conflict', (path) => {
  expect(readFileSync(path, 'utf8').match(/^(?:<{7}|>{7})(?: .*)?$/gm)).toBeNull();
});

test('the table of contents names every page of docs/ and no other', () => {
  expect([...pagePaths()].sort()).toEqual(markdownBelow('docs').sort());
});

test('source, help texts and messages name only pages that exist', () => {
  const sources = [...['src', 'e2e', 'scripts', 'bench', 'deploy'].flatMap(filesBelow), 'Makefile', 'biome.json'];
  const named = sources.flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(/(?<![\w./])(?:\.\.\/)*(docs\/[\w/-]+\.md)/g), ([, page = '']) => [
      path,
      page,
    ]),
  );
  expect(named.filter(([, page = '']) => !existsSync(page))).toEqual([]);
});

function markdownBelow(folder: string): string[] {
  return filesBelow(folder).filter((path) => path.endsWith('.md'));
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
