import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { askMeshd } from '../../../cli/control/ask-meshd.ts';
import { delay } from '../../../lib/abort.ts';
import { eventually } from '../../../testing/eventually.ts';
import { fakedClock } from '../../../testing/faketime.ts';
import { type Cluster, issuer, startCluster, usualControllers } from '../../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../../testing/kubernetes/definitions.ts';
import { kubeconfigText } from '../../../testing/kubernetes/kubeconfig-text.ts';
import type { StatusAnswer } from '../../debug/answers.ts';
import { makeSampleMesh } from '../../testing/cluster-mesh.ts';
import { MeshdProgram } from '../../testing/meshd-program.ts';
import { createTokenMint } from '../../testing/token-mint.ts';

const program = resolve(import.meta.dirname, '../../../../dist/meshd.js');
const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';

describe('meshd, while something of the cluster fails', () => {
  let cluster: Cluster;
  let folder: string;
  let meshd: MeshdProgram;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
    await defineAll(cluster);
    await makeSampleMesh(cluster);
  });
  afterAll(() => cluster?.close());
  afterEach(async () => {
    meshd.signal('SIGKILL');
    await meshd.exit;
    await cluster.api.ask('DELETE', `${policies}/deny`);
    await rm(folder, { recursive: true });
  });

  /** Starts it as an administrator of the cluster, or with the text of another kubeconfig. */
  function start(
    environment: Readonly<Record<string, string>> = {},
    kubeconfig = kubeconfigText(cluster.port, cluster.ca, cluster.adminToken),
  ) {
    folder = mkdtempSync(join(tmpdir(), 'meshd-'));
    const { keySet, issuer: tokenIssuer } = createTokenMint();
    writeFileSync(join(folder, 'keys.json'), keySet);
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
    const tokens = ['--tokenKeys', 'keys.json', '--tokenIssuer', tokenIssuer];
    const source = ['--kubernetes', '--kubeconfig', 'kubeconfig', '--caFolder', 'ca', '--log_as_json'];
    const addresses = ['--listen', '127.0.0.1:0', '--monitoringAddr', '127.0.0.1:0', '--debugSocket', 'meshd.sock'];
    const command = [process.execPath, program, 'serve', ...source, ...addresses, ...tokens];
    meshd = new MeshdProgram(folder, command, environment);
  }

  const ask = <T>(path: string): Promise<T | undefined> => askMeshd<T>(join(folder, 'meshd.sock'), 'GET', path);
  /** What the proxy of the sample is to have. */
  const served = async (): Promise<string> => JSON.stringify(await ask('/debug/config_dump?proxy=foo/httpbin'));
  const untilServed = (text: string): Promise<void> =>
    eventually(async () => expect(await served()).toContain(text), { interval: 200 });
  const deny = async (path: string): Promise<void> => {
    await cluster.api.must('POST', policies, {
      ...{ apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata: { name: 'deny' } },
      spec: { action: 'DENY', rules: [{ to: [{ operation: { paths: [path] } }] }] },
    });
  };

  test('serves the last state while the API server is suspended for 45 seconds, and changes after that', async () => {
    start();
    await untilServed('10.1.0.1');
    cluster.server.signal('SIGSTOP');
    try {
      await delay(45_000);
      expect(await served()).toContain('10.1.0.1');
      const { registry } = (await ask<StatusAnswer>('/debug/status')) as StatusAnswer;
      for (const { heardAt } of registry) expect(Date.now() - (heardAt ?? 0)).toBeGreaterThan(40_000);
    } finally {
      cluster.server.signal('SIGCONT');
    }
    await deny('/after-silence');
    await untilServed('/after-silence');
    expect(await served()).toContain('10.1.0.1');
  }, 300_000);

  test('serves the last state while the API server is down, and changes after its restart', async () => {
    start();
    await untilServed('10.1.0.1');
    await cluster.server.kill();
    await eventually(async () => expect(JSON.stringify(await ask('/debug/status'))).toMatch(/ECONNREFUSED/));
    expect(await served()).toContain('10.1.0.1');
    cluster.server.start();
    await cluster.ready();
    await deny('/after-death');
    await untilServed('/after-death');
    expect(await served()).toContain('10.1.0.1');
  });

  test('follows the cluster with a clock that is a day ahead', async () => {
    start(fakedClock({ FAKETIME: '+1d' }));
    await untilServed('10.1.0.1');
    await deny('/tomorrow');
    await untilServed('/tomorrow');
  });

  test('reports the reason if its clock is a day behind the certificate of the API server', async () => {
    start(fakedClock({ FAKETIME: '-1d' }));
    await eventually(() => expect(meshd.output).toMatch(/certificate is not yet valid/i));
    expect(await served()).toBe(undefined);
  });

  test('reads its token again once the API server no longer accepts the old one', async () => {
    await cluster.api.ask('POST', '/api/v1/namespaces', { metadata: { name: 'mesh-system' } });
    const account = await cluster.api.must('POST', '/api/v1/namespaces/mesh-system/serviceaccounts', {
      metadata: { name: 'short' },
    });
    await cluster.api.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'short' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'short', namespace: 'mesh-system' }],
    });
    const mint = (seconds: number) => shortToken(cluster, account.metadata.uid, seconds);
    const lifetime = 8;
    const config = JSON.parse(kubeconfigText(cluster.port, cluster.ca, ''));
    config.users[0].user = { tokenFile: 'token' };
    const issued = performance.now();
    const first = await mint(lifetime);
    start({}, JSON.stringify(config));
    writeFileSync(join(folder, 'token'), first);
    await untilServed('10.1.0.1');
    // Past its end; a watch that is open goes on, so the server is started again.
    await delay(Math.max(0, lifetime * 1_000 + 500 - (performance.now() - issued)));
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    await eventually(async () => expect(JSON.stringify(await ask('/debug/status'))).toMatch(/401/));
    expect(await served()).toContain('10.1.0.1');
    writeFileSync(join(folder, 'token.new'), await mint(600));
    renameSync(join(folder, 'token.new'), join(folder, 'token'));
    await deny('/renewed');
    await untilServed('/renewed');
  });
});

/** The API server takes a token for so long after its end. */
const leewaySeconds = 60;

/** A token of the service account `short`, signed with the server's own key: the server itself issues none below ten minutes. */
function shortToken({ folder }: Cluster, uid: string, seconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ iss: issuer, aud: [issuer], sub: 'system:serviceaccount:mesh-system:short' },
    ...{ iat: now - 600, nbf: now - 600, exp: now + seconds - leewaySeconds },
    'kubernetes.io': { namespace: 'mesh-system', serviceaccount: { name: 'short', uid } },
  };
  const key = createPrivateKey(readFileSync(join(folder, 'accounts.key'), 'utf8'));
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key);
}
