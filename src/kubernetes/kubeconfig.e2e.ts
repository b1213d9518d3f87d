import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ConnectProxy, startConnectProxy } from '../testing/connect-proxy.ts';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { kubeconfigText } from '../testing/kubernetes/kubeconfig-text.ts';
import { grant, makeAccount } from '../testing/kubernetes/rights.ts';
import { KubernetesApi } from './api.ts';
import { openAccess } from './open-access.ts';
import { Reflector } from './reflector.ts';

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', isNamespaced: true };
const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

describe('a kubeconfig, on a real API server', () => {
  let cluster: Cluster;
  let folder: string;

  beforeAll(async () => {
    cluster = await startCluster();
    for (const account of ['first', 'second']) await makeAccount(cluster, 'foo', account);
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await grant(cluster, 'foo/first', { name: 'reads', namespace: 'foo', rules });
  });
  afterAll(() => cluster?.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A client by a kubeconfig whose cluster and user have these fields too. */
  async function open(change: { readonly cluster?: object; readonly user?: object }): Promise<KubernetesApi> {
    const config = JSON.parse(kubeconfigText(cluster.port, cluster.ca, cluster.adminToken));
    Object.assign(config.clusters[0].cluster, change.cluster);
    if (change.user !== undefined) config.users[0].user = change.user;
    const kubeconfig = join(folder, 'config');
    writeFileSync(kubeconfig, JSON.stringify(config));
    const api = new KubernetesApi(await openAccess({ kubeconfig, context: undefined }, {}));
    onTestFinished(() => api.close());
    return api;
  }

  /** Who the API server takes us for. */
  async function userOf(
    api: KubernetesApi,
  ): Promise<{ readonly username: string; readonly groups: readonly string[] }> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = await api.ask<{ status: { userInfo: { username: string; groups: string[] } } }>({
      ...{ method: 'POST', path: reviews, body },
    });
    return review.status.userInfo;
  }
  const accountOf = async (api: KubernetesApi): Promise<string | undefined> =>
    (await userOf(api)).username.split(':').at(-1);

  describe('with a credential plugin', () => {
    /** It gives what is in the file `credential`, and writes down what it was told. */
    function writePlugin(): object {
      const script = `#!/bin/sh
echo run >>"$FOLDER/runs"
printf '%s' "$KUBERNETES_EXEC_INFO" >"$FOLDER/told"
[ "$1" = get-token ] && cat "$FOLDER/credential"
`;
      writeFileSync(join(folder, 'plugin'), script, { mode: 0o755 });
      const apiVersion = 'client.authentication.k8s.io/v1';
      const env = [{ name: 'FOLDER', value: folder }];
      const rest = { interactiveMode: 'IfAvailable', provideClusterInfo: true };
      return { exec: { apiVersion, command: './plugin', args: ['get-token'], env, ...rest } };
    }
    async function give(account: string, endsInMs = 3_600_000): Promise<void> {
      const token = await cluster.accountToken('foo', account);
      const status = { token, expirationTimestamp: new Date(Date.now() + endsInMs).toISOString() };
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
      writeFileSync(join(folder, 'credential'), JSON.stringify(credential));
    }
    const runs = (): number => readFileSync(join(folder, 'runs'), 'utf8').trimEnd().split('\n').length;

    test("uses the plugin's credential, passes it the cluster, and runs it once until the credential expires", async () => {
      await give('first');
      const api = await open({ user: writePlugin() });
      expect(await Promise.all([accountOf(api), accountOf(api)])).toEqual(['first', 'first']);
      expect(await accountOf(api)).toBe('first');
      expect(runs()).toBe(1);
      const told = JSON.parse(readFileSync(join(folder, 'told'), 'utf8'));
      expect(told).toEqual({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        spec: {
          interactive: false,
          cluster: {
            server: `https://127.0.0.1:${cluster.port}/`,
            'certificate-authority-data': Buffer.from(cluster.ca).toString('base64'),
          },
        },
      });
    });

    test('runs the plugin again before its credential expires, and as soon as the API server refuses it', async () => {
      // Within the time that credentials are renewed early.
      await give('first', 20_000);
      const api = await open({ user: writePlugin() });
      expect(await accountOf(api)).toBe('first');
      await give('second');
      expect(await accountOf(api)).toBe('second');
      expect(runs()).toBe(2);
      await cluster.api.must('DELETE', '/api/v1/namespaces/foo/serviceaccounts/second');
      // The server keeps what it has verified for ten seconds.
      await eventually(() => expect(accountOf(api)).rejects.toThrow(/401/), { interval: 500 });
      await give('first');
      expect(await accountOf(api)).toBe('first');
      expect(runs()).toBe(3);
    });
  });

  test('impersonates another user and the named groups', async () => {
    const user = { token: cluster.adminToken, as: 'ada', 'as-groups': ['auditors', 'operators'] };
    const { username, groups } = await userOf(await open({ user }));
    expect(username).toBe('ada');
    expect(groups).toEqual(['auditors', 'operators', 'system:authenticated']);
  });

  describe('with a proxy', () => {
    let proxy: ConnectProxy;
    afterEach(() => proxy.close());

    test('sends requests and watches through the proxy, with TLS to the API server itself', async () => {
      proxy = await startConnectProxy();
      const api = await open({ cluster: { 'proxy-url': `http://127.0.0.1:${proxy.port}` } });
      const names: string[] = [];
      const sink = {
        ...{ replace: () => undefined, delete: () => undefined, unserved: () => undefined },
        set: ({ metadata }: { readonly metadata: { readonly name: string } }) => void names.push(metadata.name),
      };
      const reflector = new Reflector({ api, type: configMaps, namespace: 'foo', sink });
      onTestFinished(() => reflector.close());
      reflector.start();
      await eventually(() => expect(reflector.state.hasSynced).toBe(true));
      await cluster.api.must('POST', '/api/v1/namespaces/foo/configmaps', { metadata: { name: 'seen' } });
      await eventually(() => expect(names).toContain('seen'));
      expect(proxy.asked.length).toBeGreaterThan(0);
      expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${cluster.port}`]));
    });

    test('authenticates to the proxy with the name and password of its URL, and never connects directly if the proxy refuses', async () => {
      proxy = await startConnectProxy(`Basic ${Buffer.from('ada:secret').toString('base64')}`);
      const through = (who: string) => open({ cluster: { 'proxy-url': `http://${who}127.0.0.1:${proxy.port}` } });
      expect((await userOf(await through('ada:secret@'))).username).toBe('admin');
      const refused = userOf(await through('ada:wrong@'));
      await expect(refused).rejects.toThrow(/407/);
      await expect(refused).rejects.not.toThrow(/wrong/);
      const { port } = proxy;
      await proxy.close();
      await expect(userOf(await open({ cluster: { 'proxy-url': `http://127.0.0.1:${port}` } }))).rejects.toThrow(
        /ECONNREFUSED/,
      );
      proxy = await startConnectProxy();
    });
  });
});
