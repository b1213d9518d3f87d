import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findEnvoy } from '../../envoy/process.ts';
import { eventually } from '../../testing/eventually.ts';
import { isAlive } from '../../testing/processes.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { serviceMesh } from './testing/sample-mesh.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../..');

/** Says what it is only when there is a file `go`, in the words of the file. */
const slowToAnswer = `#!/bin/sh
[ "$1" = --version ] || exec "$REAL_ENVOY" "$@"
while ! test -e go; do sleep 0.02; done
cat go
`;

describe('pilot-agent proxy with an Envoy that is slow to say its release', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(serviceMesh);
    await proxy.write('envoy', slowToAnswer);
    await chmod(join(proxy.folder, 'envoy'), 0o755);
    const environment = { REAL_ENVOY: findEnvoy({ env: process.env, repositoryRoot }) };
    proxy.start({ args: ['--policies', 'mesh', '--proxyBinary', './envoy'], environment });
    await proxy.logged('Envoy started');
    await eventually(() => expect(proxy.curl('http://127.0.0.1:15000/ready').body).toContain('LIVE'));
  });
  afterEach(() => proxy.close());

  /** Before its name, so that nobody reads half of it. */
  const answer = async (text: string): Promise<void> => {
    await proxy.write('going', text);
    expect(proxy.run(['mv', join(proxy.folder, 'going'), join(proxy.folder, 'go')]).code).toBe(0);
  };

  test('serves nothing before, and everything after', async () => {
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(503);
    expect(proxy.curl('http://127.0.0.1:15006/').code).toBe(7);
    await answer('envoy  version: 0123abc/1.40.0/Clean/RELEASE/BoringSSL\n');
    await proxy.untilReady();
    expect(proxy.curl('http://127.0.0.1:15006/').code).not.toBe(7);
  });

  test.each([
    ['an old release', 'envoy  version: 0123abc/1.39.0/Clean/RELEASE/BoringSSL\n', 'Envoy 1.39.0 is too old: 1.39.1'],
    ['nothing', '', '/envoy" is no Envoy: '],
  ])('is ended, and the agent with 3, when it says %s', async (_name, text, message) => {
    await answer(text);
    expect(await proxy.exit).toBe(3);
    expect(proxy.output).toContain(message);
    expect(proxy.output).not.toContain('Envoy has ended');
    expect(isAlive(proxy.envoyPid ?? 0)).toBe(false);
  });
});
