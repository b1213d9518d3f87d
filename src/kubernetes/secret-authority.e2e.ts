import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openAuthority } from '../control/ca/open-authority.ts';
import { createTestAuthority } from '../control/testing/authorities.ts';
import type { LogFields } from '../lib/log.ts';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { grant, makeAccount, revoke } from '../testing/kubernetes/rights.ts';
import { KubernetesApi } from './api.ts';
import { accessOfKubeconfig } from './kubeconfig.ts';

const years = 365 * 86_400_000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const names = ['cacerts', 'istio-ca-secret'];
const rights = [
  { apiGroups: [''], resources: ['secrets'], resourceNames: names, verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['istio-ca-secret'], verbs: ['update'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
];

describe('the certificate authority in a Secret, on a real API server', () => {
  let cluster: Cluster;
  let namespaces = 0;
  let namespace: string;
  const closing: (() => void)[] = [];
  const lines: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.close());
  afterEach(() => {
    for (const close of closing.splice(0)) close();
    lines.length = 0;
  });

  const path = (name = ''): string => `/api/v1/namespaces/${namespace}/secrets${name && `/${name}`}`;
  const secret = async (name: string) => (await cluster.api.must('GET', path(name))).data;
  const logged = (): string => lines.join('\n');

  /** An own namespace, with an account that may do what a control plane needs and nothing else. */
  async function makePlace(): Promise<void> {
    namespace = `mesh-${++namespaces}`;
    await makeAccount(cluster, namespace, 'meshd');
    await grant(cluster, `${namespace}/meshd`, { name: 'meshd', namespace, rules: rights });
  }

  async function open(change: object = {}) {
    const file = cluster.kubeconfig(namespace, await cluster.accountToken(namespace, 'meshd'));
    const api = new KubernetesApi(accessOfKubeconfig(file, readFileSync(file, 'utf8'), undefined));
    closing.push(() => api.close());
    const at = (level: string) => (message: string, fields?: LogFields) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const opened = await openAuthority({
      ...{ folder: undefined, secrets: { api, namespace }, trustDomain: 'cluster.local', keyAlgorithm: 'ECDSA' },
      ...{ clock: Date.now, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } },
      ...change,
    });
    closing.push(() => opened.close());
    return opened.authority;
  }

  async function pluggedIn() {
    const root = await createTestAuthority({ name: 'root' });
    const signing = await createTestAuthority({ name: 'signing', parent: root });
    const texts = {
      ...{ 'ca-cert.pem': signing.certificate, 'ca-key.pem': signing.privateKey },
      ...{ 'cert-chain.pem': signing.certificate, 'root-cert.pem': root.certificate },
    };
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, base64(text)]));
  }

  test('is created by one of the replicas that start together, and is the same for all, also after a restart', async () => {
    await makePlace();
    const replicas = await Promise.all(Array.from({ length: 5 }, () => open()));
    const { items } = await cluster.api.must('GET', path());
    expect(items).toMatchObject([{ metadata: { name: 'istio-ca-secret' }, type: 'istio.io/ca-root' }]);
    const root = new X509Certificate(Buffer.from(items[0].data['root-cert.pem'], 'base64'));
    const all = [...replicas, await open()].map(({ signer }) => signer.roots);
    expect(new Set(all)).toEqual(new Set([root.toString()]));
    expect(lines.filter((line) => line.includes('was created'))).toHaveLength(1);
  });

  test('is the one of the Secret cacerts if that exists, checked as files are', async () => {
    await makePlace();
    const data = await pluggedIn();
    await cluster.api.must('POST', path(), { metadata: { name: 'cacerts' }, data });
    const { signer } = await open();
    expect(signer.roots).toBe(Buffer.from(data['root-cert.pem'] ?? '', 'base64').toString());
    expect((await cluster.api.must('GET', path())).items).toHaveLength(1);
    const { 'ca-key.pem': key, ...rest } = data;
    await cluster.api.must('PUT', path('cacerts'), { metadata: { name: 'cacerts' }, data: rest });
    await expect(open()).rejects.toThrow(`the Secret ${namespace}/cacerts is incomplete: ca-key.pem missing`);
    const other = await pluggedIn();
    const mixed = { ...rest, 'ca-key.pem': other['ca-key.pem'] };
    await cluster.api.must('PUT', path('cacerts'), { metadata: { name: 'cacerts' }, data: mixed });
    await expect(open()).rejects.toThrow(`the Secret ${namespace}/cacerts: ca-key.pem is not the key of ca-cert.pem`);
    expect(key).toBeDefined();
  });

  test('is the one of the Secret cacerts that cert-manager fills, and its next one once that has renewed it', async () => {
    await makePlace();
    const root = await createTestAuthority({ name: 'root' });
    const filled = async (name: string) => {
      const signing = await createTestAuthority({ name, parent: root });
      const texts = { 'tls.crt': signing.certificate, 'tls.key': signing.privateKey, 'ca.crt': root.certificate };
      const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
      return { signing, body: { metadata: { name: 'cacerts' }, type: 'kubernetes.io/tls', data } };
    };
    const first = await filled('first');
    await cluster.api.must('POST', path(), first.body);
    const authority = await open();
    expect(authority.signer.chain).toEqual([first.signing.certificate]);
    const next = await filled('next');
    await cluster.api.must('PUT', path('cacerts'), next.body);
    await eventually(() => expect(authority.signer.chain).toEqual([next.signing.certificate]));
    const { 'ca.crt': _, ...rest } = next.body.data;
    await cluster.api.must('PUT', path('cacerts'), { ...next.body, data: rest });
    await eventually(() => expect(logged()).toContain('cacerts is incomplete: ca.crt missing'));
    expect(authority.signer.roots).toBe(root.certificate);
  });

  test('follows changes of the Secret, keeps the previous CA if they are invalid, and logs no key', async () => {
    await makePlace();
    let refusals = 0;
    const authority = await open({ refused: () => refusals++ });
    const before = authority.signer;
    const data = await secret('istio-ca-secret');
    const put = (changed: object) =>
      cluster.api.must('PUT', path('istio-ca-secret'), {
        ...{ metadata: { name: 'istio-ca-secret' }, type: 'istio.io/ca-root', data: changed },
      });
    await put({ ...data, 'ca-key.pem': base64('-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n') });
    await eventually(() => expect(logged()).toMatch(/error the certificate authority stays.*ca-key\.pem/));
    const { 'root-cert.pem': _, ...foreign } = await pluggedIn();
    await put(foreign);
    await eventually(() => expect(refusals).toBe(2));
    expect(authority.signer).toBe(before);
    const another = await createTestAuthority({ name: 'next root' });
    const roots = Buffer.from(data['root-cert.pem'], 'base64') + another.certificate;
    await put({ ...data, 'root-cert.pem': base64(roots) });
    await eventually(() => expect(authority.signer.rootFingerprints.size).toBe(2));
    await cluster.api.must('DELETE', path('istio-ca-secret'));
    await eventually(() => expect(logged()).toContain('is gone; without it the next start makes another root'));
    expect(authority.signer.rootFingerprints.size).toBe(2);
    const [, body = 'nothing'] = Buffer.from(data['ca-key.pem'], 'base64').toString().split('\n');
    for (const part of [body, data['ca-key.pem'], 'secret\\n']) expect(logged()).not.toContain(part);
  });

  test('renews its root in the last fifth of its lifetime, once for all replicas, which use it without a restart', async () => {
    await makePlace();
    let ageMs = 0;
    const late = { clock: () => Date.now() + ageMs };
    const running = await open(late);
    ageMs = 8.5 * years;
    const [one, two] = await Promise.all([open(late), open(late)]);
    expect(one.signer.rootFingerprints.size).toBe(2);
    expect(two.signer.roots).toBe(one.signer.roots);
    expect(one.signer.key.equals(running.signer.key)).toBe(true);
    await eventually(() => expect(running.signer.roots).toBe(one.signer.roots));
  });

  test('renews it while it runs', async () => {
    await makePlace();
    let nowMs = Date.now();
    const { signer: first } = await open();
    const authority = await open({ clock: () => nowMs, renewalCheckMs: 50 });
    nowMs += 8.5 * years;
    await eventually(() => expect(authority.signer.rootFingerprints.size).toBe(2));
    expect(authority.signer.rootFingerprint).not.toBe(first.rootFingerprint);
  });

  test('uses a Secret of another control plane, which has no roots of its own', async () => {
    await makePlace();
    const { certificate, privateKey } = await createTestAuthority({ name: 'root', days: 3_650 });
    const data = { 'ca-cert.pem': base64(certificate), 'ca-key.pem': base64(privateKey), 'root-cert.pem': '' };
    const body = { metadata: { name: 'istio-ca-secret' }, type: 'istio.io/ca-root', data };
    await cluster.api.must('POST', path(), body);
    expect((await open()).signer.roots).toBe(certificate);
  });

  test('waits for the right to read it, and finally reports which one is missing', async () => {
    await makePlace();
    await revoke(cluster, { name: 'meshd', namespace });
    await expect(open({ startMs: 1_000 })).rejects.toThrow(/cannot be read from the cluster: .*403.*secrets "cacerts"/);
    const opening = open();
    await eventually(() => expect(logged()).toMatch(/warn the certificate authority cannot be read/));
    await grant(cluster, `${namespace}/meshd`, { name: 'meshd', namespace, rules: rights });
    expect((await opening).signer.rootFingerprints.size).toBe(1);
  });
});
