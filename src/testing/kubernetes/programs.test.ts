import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtProgram } from './programs.ts';

const repository = resolve(import.meta.dirname, '../../..');
let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'checkout-'));
  cpSync(join(repository, 'scripts/backends'), join(checkout, 'scripts/backends'), { recursive: true });
  mkdirSync(join(checkout, '.tools/bin'), { recursive: true });
  symlinkSync(join(repository, '.tools/go'), join(checkout, '.tools/go'));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

test('a test on an API server fails without the Go modules, and says why', async () => {
  // No module that another checkout has fetched, and no network.
  const environment = { ...process.env, XDG_CACHE_HOME: join(checkout, 'cache'), GOPROXY: 'off' };
  for (const name of ['kube-apiserver', 'etcd'] as const) {
    await expect(builtProgram(name, { checkout, environment })).rejects.toThrow(
      new RegExp(
        `^there is no ${name}, and it could not be built: .*module lookup disabled by GOPROXY=off.*could not build ${name}: is the Go module proxy reachable\\?$`,
        's',
      ),
    );
  }
  expect(existsSync(join(checkout, '.tools/bin/etcd'))).toBe(false);
});
