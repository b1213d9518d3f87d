import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standInKid } from '../../compiler/lower/authentication/stand-in.ts';
import { checkKeys } from '../../jwks/check-keys.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import { KubernetesApi } from '../../kubernetes/api.ts';
import { accessOfKubeconfig } from '../../kubernetes/kubeconfig.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../testing/kubernetes/definitions.ts';
import { makeSampleMesh } from '../testing/cluster-mesh.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';
import { keySetsName, PublishedKeys } from './published-keys.ts';

const times = { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 };
const object = `/api/v1/namespaces/mesh-system/configmaps/${keySetsName}`;

describe('key sets of token issuers, on two replicas', () => {
  let cluster: Cluster;
  let issuer: TestServer;
  /** Undefined: the issuer does not answer. */
  let keySet: string | undefined;
  const benches: ServingBench[] = [];
  const streams: RawStream[] = [];
  let client: Awaited<ReturnType<ServingBench['identity']>> | undefined;

  beforeAll(async () => {
    keySet = keySetText(await publicJwk('key-one'));
    issuer = await startTestServer((_request, response) => {
      if (keySet === undefined) response.destroy();
      else response.end(keySet);
    });
    cluster = await startCluster({ controllers: ['endpoints-controller'] });
    await defineAll(cluster);
    await makeSampleMesh(cluster);
    await applyInstallation(cluster);
    const rules = [{ issuer: 'https://tokens.example', jwksUri: `http://127.0.0.1:${issuer.port}/keys` }];
    await cluster.api.must('POST', '/apis/security.mesh.io/v1beta1/namespaces/foo/requestauthentications', {
      ...{ apiVersion: 'security.mesh.io/v1beta1', kind: 'RequestAuthentication', metadata: { name: 'tokens' } },
      spec: { jwtRules: rules },
    });
    const first = await ServingBench.create();
    benches.push(first, await first.replica());
  });
  afterAll(async () => {
    for (const bench of benches) await bench.close();
    await issuer?.close();
    await cluster?.close();
  });

  async function start(index: number, namespace = 'mesh-system'): Promise<RawStream> {
    const bench = benches[index] as ServingBench;
    await writeFile(bench.path('mesh-config.yaml'), 'jwksAllowedHosts: [127.0.0.1]\n');
    const settings = { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } };
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const address = { kubeconfig: cluster.kubeconfig(`meshd-${index}`, token), context: undefined };
    await bench.start({
      ...{ takesAnyAddress: true, jwksAllowedHosts: ['127.0.0.1'], keyRefreshMs: 200 },
      compile: { settings, source: { type: 'cluster', address, namespaces: [], slices: false } },
      replica: { address, namespace, times },
    });
    client ??= await bench.identity('foo/httpbin');
    const stream = bench.open(client);
    stream.subscribe('listeners');
    streams.push(stream);
    return stream;
  }

  const last = (stream: RawStream | undefined): string => textOf(stream?.seen.at(-1));
  const fetches = (index: number) => benches[index]?.metric('pilot_jwks_resolver_network_fetch_success_total');
  /** What each proxy was sent last of the listener with the keys: its version is the digest of its bytes. */
  const versions = (): unknown[] =>
    streams.map(({ seen }) => {
      const sent = seen.flatMap(({ resources = [] }) => resources.filter(({ name }) => name === 'virtualInbound'));
      return sent.at(-1)?.version;
    });

  test('the leader fetches and publishes them', async () => {
    const stream = await start(0);
    await eventually(() => expect(last(stream)).toContain('key-one'));
    await eventually(async () => {
      expect((await cluster.api.must('GET', object)).data.sets).toContain('key-one');
    });
  });

  test('another replica serves the same bytes without asking the issuer, and follows the leader to other keys', async () => {
    const stream = await start(1);
    await eventually(() => expect(last(stream)).toContain('key-one'));
    keySet = keySetText(await publicJwk('key-two'));
    await eventually(() => expect(streams.map(last).every((text) => text.includes('key-two'))).toBe(true));
    expect(new Set(versions()).size).toBe(1);
    expect([Number(await fetches(0)) > 1, await fetches(1)]).toEqual([true, '0']);
  });

  test('a new leader goes on with what was published while the issuer does not answer, and takes a withdrawal from it', async () => {
    keySet = undefined;
    await benches[0]?.control.stop();
    const failed = () => benches[1]?.metric('pilot_jwks_resolver_network_fetch_fail_total');
    await eventually(async () => expect(Number(await failed())).toBeGreaterThan(0));
    expect(await benches[1]?.metric('meshd_leader')).toBe('1');
    expect(streams[1]?.seen.map(textOf).filter((text) => text.includes(standInKid))).toEqual([]);
    keySet = '{"keys": []}';
    await eventually(() => expect(last(streams[1])).toContain(standInKid));
    await eventually(async () => {
      expect((await cluster.api.must('GET', object)).data.sets).not.toContain('key-two');
    });
  });

  test('a replica that cannot ask the others fetches them itself', async () => {
    keySet = keySetText(await publicJwk('key-three'));
    const bench = await (benches[0] as ServingBench).replica();
    benches.push(bench);
    const stream = await start(2, 'nowhere');
    await eventually(() => expect(last(stream)).toContain('key-three'));
    expect(bench.logged('warn')).toContain('no leader can be elected now');
  });

  test('what is no key set in the published object, or holds secret keys, is passed over', async () => {
    const path = cluster.kubeconfig('reader', cluster.adminToken);
    const api = new KubernetesApi(accessOfKubeconfig(path, readFileSync(path, 'utf8'), undefined));
    const sound = keySetText(await publicJwk('sound'));
    const fetchedAtMs = Date.now();
    const sets = {
      sound: { text: (await checkKeys(sound)).text, fetchedAtMs },
      secret: { text: '{"keys":[{"kty":"oct","kid":"a","k":"c2VjcmV0"}]}', fetchedAtMs },
      other: { text: '{"keys": []}', fetchedAtMs },
      ...{ word: 'text', nothing: null, reason: { reason: 'the issuer does not answer' } },
    };
    const metadata = { name: keySetsName };
    await cluster.api.must('POST', '/api/v1/namespaces/default/configmaps', {
      metadata,
      data: { sets: JSON.stringify(sets), publishedAt: new Date().toISOString() },
    });
    const published = new PublishedKeys(api, 'default');
    await published.read();
    expect([...published.sets.keys()]).toEqual(['sound', 'reason']);
    api.close();
  });
});
