import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { ThirdParty } = await import(new URL('third-party.mjs', import.meta.url).href);

/** A folder of installed packages: files by path. */
function installed(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'third-party-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const described = (version: string): string => JSON.stringify({ version, license: 'MIT' });

test('the licences of bundled packages are found by the paths of their files, one inside another too', () => {
  const folder = installed({
    'node_modules/@a/b/package.json': described('1.0.0'),
    'node_modules/@a/b/LICENSE': 'free to use',
    'node_modules/@a/b/node_modules/c/package.json': described('2.0.0'),
    'node_modules/@a/b/node_modules/c/licence.md': 'free as well',
  });
  const thirdParty = new ThirdParty();
  const inside = ['node_modules/@a/b/index.js', 'node_modules/@a/b/node_modules/c/lib/c.js', 'src/own.ts'];
  thirdParty.add(inside.map((path) => `${folder}/${path}`));
  const [, ...parts] = thirdParty.text().split(`${'-'.repeat(80)}\n\n`);
  expect(parts.map((part: string) => part.trim())).toEqual([
    '@a/b 1.0.0 (MIT)\n\nfree to use',
    'c 2.0.0 (MIT)\n\nfree as well',
  ]);
});

test('a bundled package without the text of its licence ends the build', () => {
  const folder = installed({ 'node_modules/d/package.json': described('1.0.0') });
  const thirdParty = new ThirdParty();
  thirdParty.add([`${folder}/node_modules/d/index.js`]);
  expect(() => thirdParty.text()).toThrow('node_modules/d is bundled and has no text of its licence');
});
