import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ControlBench } from '../control/testing/control-bench.ts';
import { createTestRequest, type RequestForm } from '../control/testing/signing-requests.ts';
import { createTokenMint } from '../control/testing/token-mint.ts';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { grant, makeAccount, revoke } from '../testing/kubernetes/rights.ts';

const pods = '/api/v1/namespaces/foo/pods';
const reviewing = {
  name: 'reviews',
  rules: [{ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] }],
};

describe('meshd on a Kubernetes cluster, asked for certificates with tokens of its accounts', () => {
  let cluster: Cluster;
  let bench: ControlBench;

  beforeAll(async () => {
    cluster = await startCluster();
    await makeAccount(cluster, 'mesh-system', 'meshd');
    await makeAccount(cluster, 'foo', 'httpbin');
    await makeAccount(cluster, 'foo', 'admin');
    await grant(cluster, 'mesh-system/meshd', reviewing);
  });
  afterAll(() => cluster?.close());
  beforeEach(async () => {
    bench = await ControlBench.create();
    const kubeconfig = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    await bench.start((config) => ({
      ...config,
      replica: { address: { kubeconfig, context: undefined }, namespace: 'mesh-system' },
      authority: {
        ...config.authority!,
        tokens: undefined,
        reviews: { audiences: ['mesh-ca', 'istio-ca'], isFirstParty: false },
      },
    }));
  });
  afterEach(() => bench.close());

  const ask = async (token: string, form: RequestForm = {}) => {
    const { csr } = await createTestRequest(form);
    const root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    const { code, chain } = await bench.call(root, { csr, token });
    const [line] = bench.audit();
    return { code: status[code], chain, fields: line?.fields ?? {} };
  };
  const of = (namespace: string, account: string, audience = 'mesh-ca'): Promise<string> =>
    cluster.accountToken(namespace, account, [audience]);
  const identityOf = ([leaf = '']: readonly string[]) => new X509Certificate(leaf).subjectAltName;

  /** A token that is bound to a pod, as a projected volume has it. */
  async function makePod(name: string, metadata: object): Promise<string> {
    const spec = { serviceAccountName: 'httpbin', containers: [{ name: 'app', image: 'app' }] };
    const { metadata: made } = await cluster.api.must('POST', pods, { metadata: { name, ...metadata }, spec });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid: made.uid };
    const body = { spec: { audiences: ['mesh-ca'], boundObjectRef } };
    const path = '/api/v1/namespaces/foo/serviceaccounts/httpbin/token';
    return (await cluster.api.must('POST', path, body)).status.token;
  }

  test('signs for the account that the API server names, for both usual audiences', async () => {
    for (const audience of ['mesh-ca', 'istio-ca']) {
      const { code, chain } = await ask(await of('foo', 'httpbin', audience));
      expect(code).toBe('OK');
      expect(identityOf(chain)).toBe('URI:spiffe://cluster.local/ns/foo/sa/httpbin');
    }
    const text = await (await fetch(`${bench.monitoring}/metrics`)).text();
    expect(text).toContain('meshd_token_reviews_count{outcome="accepted"} 2');
  });

  test('refuses tokens for another audience, and tokens of another issuer that claims the same names', async () => {
    const forged = createTokenMint('https://kubernetes.default.svc');
    const tokens: [string, RegExp][] = [
      [await of('foo', 'httpbin', 'https://kubernetes.default.svc'), /audience of the token is/],
      [await forged.mint('foo/httpbin'), /the API server does not accept the token: .*invalid bearer token/],
    ];
    for (const [token, reason] of tokens) {
      const { code, fields } = await ask(token);
      expect([code, fields.reason]).toEqual(['UNAUTHENTICATED', expect.stringMatching(reason)]);
      expect(JSON.stringify(bench.lines)).not.toContain(token);
    }
  });

  test("takes no identity from a pod's annotations or labels, or from a signing request", async () => {
    const other = 'spiffe://cluster.local/ns/foo/sa/admin';
    const token = await makePod('wide', {
      labels: { 'security.istio.io/serviceAccount': 'admin', 'service.istio.io/canonical-name': 'admin' },
      annotations: {
        'alpha.istio.io/identity': other,
        'alpha.istio.io/canonical-serviceaccounts': other,
        'alpha.istio.io/kubernetes-serviceaccounts': 'admin',
      },
    });
    const plain = await ask(token);
    expect([plain.code, identityOf(plain.chain)]).toEqual(['OK', 'URI:spiffe://cluster.local/ns/foo/sa/httpbin']);
    expect(plain.fields).toMatchObject({ by: 'token', pod: 'wide' });
    expect((await ask(token, { uris: [other] })).code).toBe('PERMISSION_DENIED');
  });

  test('no longer signs for a token whose pod was deleted', async () => {
    const token = await makePod('short', {});
    expect((await ask(token)).code).toBe('OK');
    await cluster.api.must('DELETE', `${pods}/short?gracePeriodSeconds=0`);
    await eventually(async () => expect((await ask(token)).code).toBe('UNAUTHENTICATED'), { interval: 500 });
  });

  test('signs for nobody without the right to ask the API server, and reports UNAVAILABLE', async () => {
    await revoke(cluster, reviewing);
    const token = await of('foo', 'httpbin');
    await eventually(async () => {
      const { code, fields } = await ask(await of('foo', 'httpbin'));
      expect([code, fields.reason]).toEqual(['UNAVAILABLE', expect.stringMatching(/403 .*tokenreviews/)]);
    });
    await grant(cluster, 'mesh-system/meshd', reviewing);
    await eventually(async () => expect((await ask(token)).code).toBe('OK'));
  });

  test('signs no certificate while the API server is down, and continues when it is back', async () => {
    const token = await of('foo', 'httpbin');
    cluster.server.signal('SIGSTOP');
    try {
      const { code, fields } = await ask(token);
      expect([code, fields.reason]).toEqual(['UNAVAILABLE', expect.stringMatching(/tokenreviews: /)]);
    } finally {
      cluster.server.signal('SIGCONT');
    }
    await eventually(async () => expect((await ask(token)).code).toBe('OK'));
  });
});
