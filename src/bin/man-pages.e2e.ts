import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly man: readonly string[] };
const names = man.map((path) => basename(path, '.1'));

describe('the manual pages of an installation by npm', () => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'man-'));
    mkdirSync(join(folder, 'package'));
    copyFileSync('package.json', join(folder, 'package/package.json'));
    symlinkSync(resolve('dist'), join(folder, 'package/dist'));
    environment = {
      ...{ PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', MANWIDTH: '100' },
      MANPATH: join(folder, 'prefix/share/man'),
    };
    const install = ['install', '--global', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', [...install, '--prefix', join(folder, 'prefix'), join(folder, 'package')], {
      env: environment,
      stdio: 'pipe',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(names)('man %s shows the page, and roff warns of nothing', (name) => {
    const { stdout, stderr, status } = spawnSync('man', ['--warnings=w', name], { env: environment, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${name.toUpperCase()}\\(1\\)[\\s\\S]*\\nNAME\\n +${name} - [a-z]`));
  });
});
