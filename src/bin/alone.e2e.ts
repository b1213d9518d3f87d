import { execFile, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const built = resolve(import.meta.dirname, '../../dist');

test.each(['meshpol', 'meshd', 'pilot-agent'])(
  '%s.js that was copied alone ends with 3 and says what is missing',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'alone-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, `${name}.js`);
    copyFileSync(join(built, `${name}.js`), program);
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((done) => {
      execFile(process.execPath, [program, '--help'], (error, _stdout, text) =>
        done({ code: error?.code, stderr: text }),
      );
    });
    expect(stderr).toMatch(/^[a-z-]+\.js: "[^"\n]*" is missing: [^\n]*copy all files of its folder[^\n]*\n$/);
    expect(stderr).toContain(folder);
    expect(code).toBe(3);
  },
);

test.each([
  ['meshpol', '--help'],
  ['meshpol', 'version'],
  ['meshd', '--help'],
  ['meshd', 'version'],
  ['pilot-agent', '--help'],
  ['pilot-agent', 'version'],
])('%s %s with a full disk as standard output ends with 3 and says so', (name, argument) => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const run = spawnSync(process.execPath, [join(built, `${name}.js`), argument], { stdio: ['ignore', full, 'pipe'] });
  expect(String(run.stderr)).toBe(`${name}: cannot write to standard output: no space left on device (ENOSPC)\n`);
  expect(run.status).toBe(3);
});

test('pilot-agent that has nothing left to wait for before it says how it ended, ends with 70', () => {
  const withoutExit = '--import=data:text/javascript,process.exit=()=>undefined';
  const program = join(built, 'pilot-agent.js');
  const run = spawnSync(process.execPath, [withoutExit, program, 'version'], { encoding: 'utf8' });
  expect(run.stdout).not.toBe('');
  expect(run.status).toBe(70);
});
