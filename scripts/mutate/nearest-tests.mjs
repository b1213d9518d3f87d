import { readdirSync } from 'node:fs';
import path from 'node:path';

/** More take longer than their chance to notice anything is worth. */
const most = 6;

/**
 * The end-to-end tests whose folders and names share most words with those of the source file, which is a path below
 * `folder`; none that shares no folder. Many of them start programs, so that imports do not lead to them.
 */
export function nearestTests(folder, file) {
  const [words, folders] = [wordsOf(file), foldersOf(file)];
  return ['src', 'e2e']
    .flatMap((top) =>
      readdirSync(path.join(folder, top), { recursive: true, encoding: 'utf8' }).map((name) => path.join(top, name)),
    )
    .filter((name) => name.endsWith('.e2e.ts'))
    .map((test) => ({
      test,
      shared: count(wordsOf(test), words) + (path.dirname(test) === path.dirname(file) ? 2 : 0),
      isNear: count(foldersOf(test), folders) > 0,
    }))
    .filter(({ isNear }) => isNear)
    .sort((a, b) => b.shared - a.shared || (a.test < b.test ? -1 : 1))
    .slice(0, most)
    .map(({ test }) => test);
}

function foldersOf(file) {
  return new Set(path.dirname(file).split('/').slice(1));
}

function wordsOf(file) {
  return new Set(
    file
      .replace(/(\.e2e)?\.ts$/, '')
      .split(/[/-]/)
      .slice(1),
  );
}

function count(words, wanted) {
  return [...words].filter((word) => wanted.has(word)).length;
}
