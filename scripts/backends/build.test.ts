import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const checkout = mkdtempSync(join(tmpdir(), 'backends-'));
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

test('a machine without a Go compiler gets an error that says what to run', () => {
  cpSync(import.meta.dirname, join(checkout, 'scripts/backends'), { recursive: true });
  mkdirSync(join(checkout, '.tools/go'), { recursive: true });
  writeFileSync(join(checkout, '.tools/go/VERSION'), 'go0\n');
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: join(checkout, 'cache') };
  const { status, stderr } = spawnSync(join(checkout, 'scripts/backends/build.sh'), { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^backends: .*\/\.tools\/go holds no compiler: run make setup\n$/);
});
