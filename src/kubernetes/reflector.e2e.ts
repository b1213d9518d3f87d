import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../lib/abort.ts';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { type FaultingProxy, startFaultingProxy } from '../testing/kubernetes/faulting-proxy.ts';
import { kubeconfigText } from '../testing/kubernetes/kubeconfig-text.ts';
import { KubernetesApi } from './api.ts';
import { accessOfKubeconfig } from './kubeconfig.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import { countingSink } from './testing/counting-sink.ts';

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', isNamespaced: true };

describe('Reflector, on a real API server', () => {
  let cluster: Cluster;
  let proxy: FaultingProxy;
  const closing: (() => void)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    proxy = await startFaultingProxy(cluster);
  });
  afterAll(async () => {
    await proxy?.close();
    await cluster?.close();
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
    proxy.fault = () => 'pass';
  });

  function follow(namespace: string, options: Partial<ReflectorOptions> & { readonly through?: FaultingProxy } = {}) {
    const path = '/test/kubeconfig';
    const { through, ...rest } = options;
    const { port, ca } = through ?? cluster;
    const access = accessOfKubeconfig(path, kubeconfigText(port, ca, cluster.adminToken), undefined);
    const api = new KubernetesApi(access);
    const { sink, told, objects } = countingSink();
    const reflector = new Reflector({
      api,
      type: configMaps,
      namespace,
      sink,
      backOff: { firstMs: 20, longestMs: 500 },
      ...rest,
    });
    closing.push(() => {
      reflector.close();
      api.close();
    });
    reflector.start();
    const names = (): string[] => [...objects.keys()].sort();
    return { reflector, names, told, objects };
  }

  async function make(namespace: string, count: number): Promise<void> {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await put(
      namespace,
      Array.from({ length: count }, (_, index) => `m${index}`),
    );
  }

  function put(namespace: string, names: readonly string[]): Promise<unknown> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    return Promise.all(names.map((name) => cluster.api.must('POST', path, { metadata: { name } })));
  }

  /** Queries of the watches of a namespace that came through the proxy. */
  const watchesOf = (namespace: string): readonly URLSearchParams[] =>
    proxy.asked
      .filter((asked) => asked.includes(`/namespaces/${namespace}/`) && asked.includes('watch=1'))
      .map((asked) => new URLSearchParams(asked.replace(/.*\?/, '')));

  const remove = (namespace: string, name: string) =>
    cluster.api.must('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${name}`);

  test('reads all objects of a list of several pages, and each change after it', async () => {
    await make('paged', 1_203);
    const { names, objects, reflector } = follow('paged', { through: proxy });
    await eventually(() => expect(reflector.state.hasSynced).toBe(true));
    expect(names()).toHaveLength(1_203);
    expect(proxy.asked.filter((path) => path.includes('continue=')).length).toBe(2);
    await put('paged', ['new']);
    await remove('paged', 'm7');
    const path = '/api/v1/namespaces/paged/configmaps/m8';
    await cluster.api.must('PATCH', path, { data: { a: 'b' } }, 'application/merge-patch+json');
    await eventually(() => {
      expect(names()).toContain('new');
      expect(names()).not.toContain('m7');
      expect(objects.get('m8')?.data).toEqual({ a: 'b' });
    });
  });

  test('uses no list with a page that is cut off or answered by 429 or 500, and no answer that is not a list', async () => {
    await make('cut', 600);
    const faults = [
      { cutAfter: 5_000 },
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 500 },
      { status: 200, body: '{}' },
      { status: 200, body: 'null' },
    ];
    const left = [...faults];
    proxy.fault = (request) => (request.url?.includes('continue=') ? (left.shift() ?? 'pass') : 'pass');
    const { names, told, reflector } = follow('cut', { through: proxy });
    await eventually(() => expect(reflector.state.hasSynced).toBe(true));
    expect(left).toEqual([]);
    expect(told.lists).toBe(1);
    expect(names()).toHaveLength(600);
  });

  test('loses nothing if a watch breaks, sends something that is not an event, or an event of an unknown type', async () => {
    await make('broken', 3);
    const { names, told, reflector } = follow('broken', { through: proxy });
    await eventually(() => expect(reflector.state.hasSynced).toBe(true));
    const faults = [
      { cutAfter: 40 },
      { change: () => '{"type":"ADDED","object":{"metadata":{}}}\n' },
      { change: () => '{"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}}\n' },
      { change: (text: string) => text.replaceAll('"ADDED"', '"APPEARED"') },
      { change: (text: string) => text.replaceAll('{', '[') },
      { status: 500 },
    ];
    const left = [...faults];
    proxy.fault = (request) => (request.url?.includes('watch=1') ? (left.shift() ?? 'pass') : 'pass');
    // The watch that runs breaks, so that the faults meet the next ones.
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    await put('broken', ['late']);
    await eventually(() => expect(names()).toContain('late'));
    expect(left).toEqual([]);
    expect(told).toMatchObject({ lists: 1, deletes: 0 });
  });

  test('lists again if the server no longer has the revision, and finds what was deleted meanwhile', async () => {
    await make('compacted', 3);
    const { names, told, reflector } = follow('compacted', { through: proxy });
    await eventually(() => expect(reflector.state.hasSynced).toBe(true));
    proxy.fault = () => ({ status: 503 });
    // Nothing is heard while it changes.
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    await remove('compacted', 'm1');
    await compact();
    await cluster.server.kill();
    cluster.server.start();
    await cluster.ready();
    expect(names()).toEqual(['m0', 'm1', 'm2']);
    expect(reflector.state.problem).toMatch(/503/);
    proxy.fault = () => 'pass';
    await eventually(() => expect(names()).toEqual(['m0', 'm2']));
    expect(told.lists).toBe(2);
    expect(reflector.state.problem).toBeUndefined();
  });

  test('notices a silent server, keeps all objects, and continues when the server answers', async () => {
    await make('silent', 2);
    const { names, told, reflector } = follow('silent', { silenceMs: 2_000 });
    await eventually(() => expect(reflector.state.hasSynced).toBe(true));
    cluster.server.signal('SIGSTOP');
    try {
      await eventually(() => expect(reflector.state.problem).toMatch(/said nothing for 2 seconds/));
      expect(names()).toEqual(['m0', 'm1']);
    } finally {
      cluster.server.signal('SIGCONT');
    }
    await put('silent', ['after']);
    await eventually(() => expect(names()).toContain('after'));
    expect(told.lists).toBe(1);
  });

  test('continues from the last bookmark when the server ends a watch, and does not list again', async () => {
    await make('marked', 2);
    await make('beside', 1);
    const problems: (string | undefined)[] = [];
    // The server sends a bookmark two seconds before the end of a watch.
    const { told, names } = follow('marked', {
      ...{ through: proxy, watchMs: 3_000 },
      onState: ({ problem }) => problems.push(problem),
    });
    const revisions = (): readonly number[] => watchesOf('marked').map((query) => Number(query.get('resourceVersion')));
    await eventually(() => expect(revisions()).toHaveLength(1));
    // Of another namespace: the watch itself is told nothing of them.
    await put('beside', ['later']);
    const { metadata } = await cluster.api.must('GET', '/api/v1/namespaces/beside/configmaps/later');
    await eventually(() => expect(revisions().at(-1)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion)));
    await put('marked', ['new']);
    await eventually(() => expect(names()).toContain('new'));
    expect(told.lists).toBe(1);
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  test('does not ask without end if each watch ends at once', async () => {
    await make('short', 1);
    let watches = 0;
    proxy.fault = ({ url = '' }) => {
      if (!url.includes('watch=1') || !url.includes('/short/')) return 'pass';
      watches++;
      return { status: 200, body: '' };
    };
    const { reflector } = follow('short', { through: proxy });
    await eventually(() => expect(watches).toBeGreaterThan(2));
    const before = watches;
    await delay(1_000);
    expect(watches - before).toBeLessThan(20);
    expect(reflector.state).toMatchObject({ hasSynced: true, problem: undefined });
  });

  test('requests watches that end after five to ten minutes, at random', async () => {
    await make('ending', 1);
    const count = 20;
    for (let i = 0; i < count; i++) follow('ending', { through: proxy });
    await eventually(() => expect(watchesOf('ending')).toHaveLength(count));
    const seconds = watchesOf('ending').map((query) => Number(query.get('timeoutSeconds')));
    for (const each of seconds) expect(each).toBeGreaterThanOrEqual(300);
    for (const each of seconds) expect(each).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(1);
    for (const query of watchesOf('ending')) expect(query.get('allowWatchBookmarks')).toBe('true');
  });

  test('reports a kind that is not served, and keeps asking', async () => {
    const type = { group: 'absent.example', version: 'v1', kind: 'Thing', resource: 'things', isNamespaced: true };
    const { reflector, told } = follow('default', { type });
    await eventually(() => expect(reflector.state).toMatchObject({ hasSynced: true, isServed: false }));
    expect(told).toMatchObject({ lists: 0, isUnserved: true });
  });

  /** As a cluster does every five minutes; the watch cache of the server goes with its restart. */
  async function compact(): Promise<void> {
    const call = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${cluster.etcdPort}${path}`, { method: 'POST', body: JSON.stringify(body) }).then(
        (answer) => answer.json(),
      );
    const { header } = (await call('/v3/kv/range', { key: 'AA==' })) as { header: { revision: string } };
    await call('/v3/kv/compaction', { revision: header.revision, physical: true });
  }
});
