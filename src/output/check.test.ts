import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkFiles } from './check.ts';
import { typedMessage } from './discovery-response.ts';
import { textOf } from './format.ts';
import type { OutputFile } from './plan.ts';
import { all, files } from './testing/output-files.ts';
import { writeFiles } from './write.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('checkFiles', () => {
  test('is silent after a write', async () => {
    const made = files({ 'a.json': '1\n', 'b/c.json': '2\n' });
    await writeFiles(folder, made, all);
    expect(await checkFiles(folder, made, all)).toEqual({ isSame: true, text: '' });
  });

  test('shows changed, missing and superfluous files in the order of their paths', async () => {
    await writeFiles(folder, files({ 'a.json': '1\n', 'c.json': '3\n' }), all);
    const { isSame, text } = await checkFiles(folder, files({ 'b.json': '2\n', 'a.json': '0\n' }), all);
    expect(isSame).toBe(false);
    expect(text.slice(text.indexOf('---'))).toBe(
      '--- a/a.json\n+++ b/a.json\n@@ -1 +1 @@\n-1\n+0\n' +
        '--- /dev/null\n+++ b/b.json\n@@ -0,0 +1 @@\n+2\n' +
        '--- a/c.json\n+++ /dev/null\n@@ -1 +0,0 @@\n-3\n',
    );
  });

  /** A list of listeners of these names, as a file of a workload. */
  const list = (path: string, names: readonly string[], rest: object = {}): OutputFile => {
    const resources = names.map((name) => ({ type: 'listener' as const, name, json: { name, ...rest } }));
    const value = { resources: resources.map(typedMessage) };
    return { path, text: textOf(value, path.endsWith('json') ? 'json' : 'yaml'), resources };
  };

  test('begins with what changes a workload, and shows origins last, or not at all', async () => {
    const at = (name: string): string => `shop/web/${name}.json`;
    const before = [
      list(at('listeners'), ['a', 'b']),
      ...files({ [at('origins')]: '1', [at('routes/80')]: '1', 'mesh.json': '1' }),
    ];
    const old = list('shop/old/clusters.json', ['x']);
    await writeFiles(folder, [...before, old], all);
    const next = [
      list(at('listeners'), ['b', 'c']),
      ...files({ [at('origins')]: '2', [at('routes/81')]: '1', 'mesh.json': '1' }),
    ];
    const { text } = await checkFiles(folder, next, all);
    expect(text.slice(0, text.indexOf('---'))).toBe(
      '2 workloads would change:\n  shop/old: clusters x (gone)\n' +
        '  shop/web: routes 80 (gone), 81 (new); listeners a (gone), c (new); origins\n\n',
    );
    expect([...text.matchAll(/^diff|^--- (?:a\/)?(.*)$/gm)].map(([, path]) => path)).toEqual([
      'shop/old/clusters.json',
      'shop/web/listeners.json',
      'shop/web/routes/80.json',
      '/dev/null',
      'shop/web/origins.json',
    ]);
    const quiet = await checkFiles(folder, next, { ...all, withoutOrigins: true });
    expect(quiet.text).not.toContain('--- a/shop/web/origins.json');
    const moved = [...before.filter(({ path }) => path !== at('origins')), ...files({ [at('origins')]: '2' }), old];
    expect(await checkFiles(folder, moved, { ...all, withoutOrigins: true })).toEqual({
      isSame: false,
      text: '1 workload would change:\n  shop/web: origins\n\n',
    });
  });

  test('names resources of YAML, and none of a file that is no response', async () => {
    const broken = ['{', '{}', '[]', 'null', '{"resources": {}}', '{"resources": [7]}', '{"resources": [{"name": 7}]}'];
    const at = (index: number): string => `shop/b${index}/listeners.json`;
    const texts = Object.fromEntries(broken.map((text, index) => [at(index), text]));
    await writeFiles(folder, [list('shop/a/listeners.yaml', ['a', 'b']), ...files(texts)], all);
    const whole = broken.map((_, index) => list(at(index), ['a']));
    const next = [list('shop/a/listeners.yaml', ['a', 'b', 'c']), ...whole];
    const { text } = await checkFiles(folder, next, all);
    const lines = broken.map((_, index) => `  shop/b${index}: listeners\n`);
    expect(text).toContain(`  shop/a: listeners c (new)\n${lines.join('')}`);
    const other = list('shop/a/listeners.yaml', ['a', 'b', 'c'], { x: 1 });
    expect((await checkFiles(folder, [other, ...whole], all)).text).toContain('listeners a, b, c (new)');
  });

  test('names a file of routes as it is called where its name is no encoded text', async () => {
    const route = 'shop/web/routes/50%.json';
    await writeFiles(folder, files({ [route]: '1' }), all);
    const { text } = await checkFiles(folder, [], all);
    expect(text.slice(0, text.indexOf('---'))).toBe('1 workload would change:\n  shop/web: routes 50% (gone)\n\n');
  });

  test('fails for a folder that is not there', async () => {
    await expect(checkFiles(join(folder, 'none'), [], all)).rejects.toMatchObject({ code: 'output-unwritable' });
  });
});
