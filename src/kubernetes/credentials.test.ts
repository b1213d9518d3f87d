import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClusterAccess } from './cluster-access.ts';
import { Credentials } from './credentials.ts';

describe('Credentials', () => {
  let folder: string;
  let nowMs: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credentials-'));
    nowMs = 1_000_000;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (change: Partial<ClusterAccess>): Credentials =>
    new Credentials(
      {
        ...{ name: 'test', server: new URL('https://127.0.0.1'), roots: undefined, serverName: undefined },
        ...{ isUnverified: false, proxy: undefined, namespace: undefined, token: undefined, certificate: undefined },
        ...{ plugin: undefined, impersonation: {} },
        ...change,
      },
      () => nowMs,
    );
  const bearer = async (credentials: Credentials) => (await credentials.now()).headers.authorization;

  /** A plugin that counts its runs in a file, and prints this. */
  function plugin(output: string): Partial<ClusterAccess> {
    const command = join(folder, 'plugin');
    writeFileSync(
      command,
      `#!/bin/sh\necho run >>"${folder}/runs"\nprintf '%s' "$KUBERNETES_EXEC_INFO" >"${folder}/info"\n${output}\n`,
    );
    chmodSync(command, 0o755);
    const apiVersion = 'client.authentication.k8s.io/v1' as const;
    return {
      plugin: { apiVersion, command, args: [], environment: {}, wantsCluster: true, installHint: 'install it' },
    };
  }
  const runs = (): number => readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1;
  const credential = (status: object): string =>
    `echo '${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })}'`;

  test('reads a replaced token file again, after ten seconds or as soon as the token is refused', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'one\n');
    const credentials = open({ token: { file } });
    expect(await bearer(credentials)).toBe('Bearer one');
    writeFileSync(file, 'two\n');
    expect(await bearer(credentials)).toBe('Bearer one');
    nowMs += 10_000;
    expect(await bearer(credentials)).toBe('Bearer two');
    writeFileSync(file, 'three\n');
    credentials.refused();
    expect(await bearer(credentials)).toBe('Bearer three');
  });

  test('reports which file cannot be read, and a file that contains no token', async () => {
    await expect(bearer(open({ token: { file: join(folder, 'gone') } }))).rejects.toThrow(
      /gone" \(ENOENT\), which test needs/,
    );
    await expect(bearer(open({ token: { text: 'two words' } }))).rejects.toThrow('not one word of ASCII');
    await expect(bearer(open({ token: { text: '' } }))).rejects.toThrow('is empty');
  });

  test('runs a plugin once for simultaneous requests, again before its credential expires, and passes it the cluster', async () => {
    const expirationTimestamp = new Date(nowMs + 60_000).toISOString();
    const credentials = open(plugin(credential({ token: 'given', expirationTimestamp })));
    expect(await Promise.all([bearer(credentials), bearer(credentials)])).toEqual(['Bearer given', 'Bearer given']);
    expect(runs()).toBe(1);
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toMatchObject({
      spec: { interactive: false, cluster: { server: 'https://127.0.0.1/' } },
    });
    nowMs += 29_000;
    await bearer(credentials);
    expect(runs()).toBe(1);
    nowMs += 2_000;
    await bearer(credentials);
    expect(runs()).toBe(2);
    credentials.refused();
    await bearer(credentials);
    expect(runs()).toBe(3);
  });

  test.each([
    ['fails', 'echo no session >&2; exit 3', /it ended with 3: no session: install it/],
    ['prints no JSON', 'echo secret', /^the credential plugin "[^"]*": its output is not JSON$/],
    ['prints another kind', 'echo "{}"', /not an ExecCredential of/],
    ['gives nothing', credential({}), /neither a token nor a certificate/],
    ['gives a certificate without a key', credential({ clientCertificateData: 'a' }), /without its key/],
    [
      'gives an end that is no time',
      credential({ token: 'a', expirationTimestamp: 'soon' }),
      /expirationTimestamp is no time/,
    ],
  ])('runs the plugin again after one that %s', async (_what, output, message) => {
    const credentials = open(plugin(output));
    await expect(credentials.now()).rejects.toThrow(message);
    await expect(credentials.now()).rejects.toThrow(message);
    expect(runs()).toBe(2);
  });

  test('reports a plugin that does not exist', async () => {
    const { plugin: usual } = plugin('true');
    const missing = open({ plugin: usual && { ...usual, command: join(folder, 'absent') } });
    await expect(missing.now()).rejects.toThrow('it cannot be started (ENOENT): install it');
  });
});
