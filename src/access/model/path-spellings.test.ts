import { expect, test } from 'vitest';
import { normalizePath } from './normalize-path.ts';
import { pathSpellings } from './path-spellings.ts';

const options = { normalizes: true, mergesSlashes: true, escapedSlashes: 'unescape' } as const;

test('pathSpellings writes a path in other ways, and keeps its query', () => {
  const spellings = pathSpellings('/admin/a?x=/../');
  expect(new Set(spellings).size).toBe(spellings.length);
  expect(spellings).toEqual(
    expect.arrayContaining(['/x/..%2fadmin/a?x=/../', '/Admin/a?x=/../', '/admin/a;v=1?x=/../']),
  );
  expect(spellings.filter((spelling) => !spelling.endsWith('?x=/../'))).toEqual([]);
  const same = spellings.filter((spelling) => {
    const normalized = normalizePath(spelling, options);
    return normalized.kind === 'path' && normalized.path === '/admin/a?x=/../';
  });
  expect(same.length).toBeGreaterThan(15);
});

test('pathSpellings of the root and of a path in capitals leave out the path itself', () => {
  for (const path of ['/', '/ADMIN']) expect(pathSpellings(path)).not.toContain(path);
});
