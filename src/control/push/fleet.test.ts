import { describe, expect, test, vi } from 'vitest';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ConnectedProxies } from '../debug/connected.ts';
import { plainMesh } from '../testing/plain-mesh.ts';
import { Fleet } from './fleet.ts';
import { type MeshSnapshot, SnapshotReceiver } from './mesh-snapshot.ts';
import type { ListIds, PlainList } from './plain-snapshot.ts';
import type { StreamOwner } from './proxy-stream.ts';

type Content = Readonly<Record<string, string>>;

/** A mesh of proxies in the namespace `shop`, with listeners that they share and one of their own. */
function snapshotOf(
  shared: Content,
  own: Readonly<Record<string, Content>>,
  isUrgent = false,
  before?: MeshSnapshot,
): MeshSnapshot {
  const lists = new Map<string, PlainList>();
  const idOf = (list: 'listeners' | 'clusters', content: Content): string => {
    const id = `${list} ${JSON.stringify(content)}`;
    const resources = Object.entries(content).map(([name, text]) => ({
      name,
      version: contentVersion(text),
      body: Buffer.from(text),
    }));
    lists.set(id, { id, list, resources });
    return id;
  };
  const empty = idOf('clusters', {});
  const ids = (content: Content): ListIds => ({
    ...{ clusters: empty, endpoints: empty, routes: empty },
    listeners: idOf('listeners', content),
  });
  const proxies = Object.entries(own).map(([name, content]) => ({
    ...{ namespace: 'shop', name, serviceAccount: name, addresses: [], isUrgent, isFrozen: false },
    ...{ shared: ids(shared), own: ids(content) },
  }));
  // As a compile thread that is started anew: what is equal stays the same object.
  return new SnapshotReceiver(before).receive(plainMesh([...lists.values()], proxies));
}

const owner = (name: string): StreamOwner => ({
  ...{ proxy: { namespace: 'shop', name, serviceAccount: name }, identity: name, envoyVersion: '1.40.0' },
});
const { typeUrl } = configurationTypes.listeners;

describe('ConnectedProxies', () => {
  test('say of a proxy whose change waits for its turn that it is not in step', () => {
    const connected = new ConnectedProxies();
    const fleet = new Fleet({ limits: { count: 1, bytes: 1e6 }, stepTimeoutMs: 5_000, watchers: [connected] });
    const first = snapshotOf({ all: '1' }, { web: {}, api: {} });
    fleet.update(first);
    const streams = ['web', 'api'].map((name) => fleet.open(owner(name)));
    for (const stream of streams) connected.complete(stream, typeUrl);
    expect(connected.rows(fleet).map(({ isInStep }) => isInStep)).toEqual([true, true]);
    // One push at a time, and the first one is not answered.
    fleet.update(snapshotOf({ all: '2' }, { web: {}, api: {} }, false, first));
    expect(fleet.queue.waiting).toBe(1);
    expect(connected.rows(fleet).map(({ isInStep }) => isInStep)).toEqual([false, false]);
  });

  test('name what a proxy refuses by list and name, each resource once', () => {
    const fleet = new Fleet({ limits: { count: 1, bytes: 1e6 }, stepTimeoutMs: 5_000 });
    let mesh = snapshotOf({}, { web: { in: '1', out: '1' } });
    fleet.update(mesh);
    const stream = fleet.open(owner('web'));
    const refuse = (name: string, text: string): void =>
      stream.isolated(typeUrl, [{ name, version: contentVersion(text) }]);
    for (const name of ['out', 'in']) refuse(name, '1');
    mesh = snapshotOf({}, { web: { in: '2', out: '1' } }, false, mesh);
    fleet.update(mesh);
    refuse('in', '2');
    expect(new ConnectedProxies().rows(fleet)[0]?.refused).toEqual(['listeners in', 'listeners out']);
  });
});

describe('Fleet', () => {
  const setUp = (count = 100) => {
    const fleet = new Fleet({ limits: { count, bytes: 1e6 }, stepTimeoutMs: 5_000 });
    fleet.update(snapshotOf({ all: '1' }, { web: { in: '1' }, api: { in: '2' } }));
    const open = (name: string) => {
      const stream = fleet.open(owner(name));
      const heard = vi.fn();
      stream.onChange(heard);
      const seen = (): string =>
        (stream.sourceOf(typeUrl)?.view.all ?? []).map((it) => `${it.name}=${Buffer.from(it.body)}`).join(' ');
      return { stream, heard, seen };
    };
    return { fleet, open };
  };

  test('serves each proxy the shared resources and its own', () => {
    const { open } = setUp();
    expect([open('web').seen(), open('api').seen()]).toEqual(['all=1 in=1', 'all=1 in=2']);
  });

  test('sends a change to the streams that it concerns, and to no others', () => {
    const { fleet, open } = setUp();
    const [web, api] = [open('web'), open('api')];
    fleet.update(snapshotOf({ all: '1' }, { web: { in: '1' }, api: { in: '3' } }, false, fleet.snapshot));
    expect([web.heard.mock.calls.length, api.heard.mock.calls.length]).toEqual([0, 1]);
    expect(api.seen()).toBe('all=1 in=3');
  });

  test('gives a stream that had to wait the newest state', () => {
    const { fleet, open } = setUp(1);
    const [web, api] = [open('web'), open('api')];
    for (const text of ['2', '3']) {
      fleet.update(snapshotOf({ all: text }, { web: { in: '1' }, api: { in: '2' } }));
    }
    expect([web.seen(), api.seen()]).toEqual(['all=2 in=1', 'all=1 in=2']);
    web.stream.settled();
    expect(api.seen()).toBe('all=3 in=2');
    api.stream.closed();
    expect(web.seen()).toBe('all=3 in=1');
  });

  test('leaves a proxy whose workload was removed its configuration', () => {
    const { fleet, open } = setUp();
    const web = open('web');
    fleet.update(snapshotOf({ all: '1' }, {}));
    expect(web.seen()).toBe('all=1 in=1');
  });

  test('sends a stream nothing more once its workload has another account', () => {
    const { fleet, open } = setUp();
    const web = open('web');
    const next = snapshotOf({ all: '2' }, { web: { in: '2' } });
    const proxies = [...next.proxies].map(([key, proxy]) => [key, { ...proxy, serviceAccount: 'other' }] as const);
    fleet.update({ ...next, proxies: new Map(proxies) });
    expect(web.seen()).toBe('all=1 in=1');
  });

  test('waits for a workload that is not known yet, for a limited time', async () => {
    const { fleet } = setUp();
    const found = fleet.once(() => fleet.find({ namespace: 'shop', name: 'late' }), 5_000);
    fleet.update(snapshotOf({}, { late: { in: '1' } }));
    expect((await found)?.name).toBe('late');
    expect(await fleet.once(() => fleet.find({ namespace: 'shop', name: 'never' }), 10)).toBeUndefined();
  });

  test('holds a shared resource back once two identities refuse it, not when one does', () => {
    const { fleet, open } = setUp();
    const [web, api] = [open('web'), open('api')];
    fleet.update(snapshotOf({ all: 'bad' }, { web: { in: '1' }, api: { in: '2' } }));
    const culprits = [{ name: 'all', version: contentVersion('bad') }];
    web.stream.isolated(typeUrl, culprits);
    expect(api.seen()).toBe('all=bad in=2');
    api.stream.isolated(typeUrl, culprits);
    expect([web.seen(), api.seen(), open('web').seen()]).toEqual(['all=1 in=1', 'all=1 in=2', 'all=1 in=1']);
  });

  test('does not send a reconnected client what it has refused, but the previous version', () => {
    const { fleet, open } = setUp();
    const web = open('web');
    fleet.update(snapshotOf({ all: '1' }, { web: { in: 'bad' }, api: { in: '2' } }, false, fleet.snapshot));
    web.stream.isolated(typeUrl, [{ name: 'in', version: contentVersion('bad') }]);
    web.stream.closed();
    expect(open('web').seen()).toBe('all=1 in=1');
    fleet.update(snapshotOf({ all: '1' }, { web: { in: '3' }, api: { in: '2' } }, false, fleet.snapshot));
    expect(open('web').seen()).toBe('all=1 in=3');
  });

  test('does not wait for clusters with a change that may remove access', () => {
    const { fleet, open } = setUp();
    const { stream } = open('web');
    expect(stream.stepTimeoutMs).toBe(5_000);
    fleet.update(snapshotOf({ all: '1' }, { web: { in: 'deny' }, api: { in: '2' } }, true));
    expect(stream.stepTimeoutMs).toBe(100);
    stream.settled();
    expect(stream.stepTimeoutMs).toBe(5_000);
  });
});
