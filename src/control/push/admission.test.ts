import { describe, expect, test } from 'vitest';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { emptyView } from '../../xds/resource-view.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { setType } from '../../xds/whole-sets.ts';
import { addressOf } from '../server/address.ts';
import { plainMesh } from '../testing/plain-mesh.ts';
import { Admission, proxyOf } from './admission.ts';
import { Fleet } from './fleet.ts';
import { emptySnapshot, SnapshotReceiver } from './mesh-snapshot.ts';

describe('Admission', () => {
  const none = { clusters: 'c', endpoints: 'e', listeners: 'l', routes: 'r' };
  const lists = (['clusters', 'endpoints', 'listeners', 'routes'] as const).map((list) => ({
    ...{ id: list[0] ?? '', list, resources: [] },
  }));
  const web = { namespace: 'shop', name: 'web', serviceAccount: 'web', addresses: ['10.1.0.1', 'fd00::1'] };
  const mesh = new SnapshotReceiver(emptySnapshot).receive(
    plainMesh(lists, [{ ...web, isUrgent: false, isFrozen: false, shared: none, own: none }]),
  );
  const idOf = (name: string) => `sidecar~10.1.0.1~${name}~d`;
  const meshOf = (names: readonly string[]) =>
    new SnapshotReceiver(emptySnapshot).receive(
      plainMesh(
        lists,
        names.map((name) => {
          const [workload = '', namespace = ''] = name.split('.');
          return { ...web, name: workload, namespace, isUrgent: false, isFrozen: false, shared: none, own: none };
        }),
      ),
    );
  const owners = (names: readonly string[]) => {
    const { proxies } = meshOf(names);
    const entries = [...proxies].map(([key, proxy], i) => [key, { ...proxy, serviceAccount: `a-${i % 10}` }] as const);
    return { proxies: new Map(entries) };
  };
  const setUp = (takesAnyAddress = false, nowMs = () => 0, snapshot = mesh) => {
    const fleet = new Fleet({ limits: { count: 1, bytes: 1 }, stepTimeoutMs: 1 });
    fleet.update(snapshot);
    const admission = new Admission(fleet, { trustDomain: 'cluster.local', takesAnyAddress, waitMs: 1, clock: nowMs });
    return async ({ account = 'shop/web', peer = '10.1.0.1:4000', id = idOf('web.shop'), says = {} } = {}) => {
      const [namespace = '', serviceAccount = ''] = account.split('/');
      const authentication = { caller: { namespace, serviceAccount, by: 'certificate' as const } };
      const node = { id, envoyVersion: '1.40.0' };
      try {
        const first = { typeUrl: '', nodeId: id, responseNonce: '', node, ...says };
        const stream = await admission.admit({ authentication, peer }, first);
        stream.closed();
        const { owner } = stream;
        return `${owner.identity} ${owner.proxy.name} ${owner.envoyVersion}`;
      } catch (error) {
        if (!(error instanceof StreamRefusal)) throw error;
        return error.code;
      }
    };
  };

  test('gives a workload its own configuration, from each of its addresses', async () => {
    const admit = setUp();
    const own = 'spiffe://cluster.local/ns/shop/sa/web web 1.40.0';
    for (const peer of ['10.1.0.1:4000', '[fd00::1]:4000', '[::ffff:10.1.0.1]:4000'])
      expect(await admit({ peer })).toBe(own);
    expect(await setUp(true)({ peer: '192.0.2.7:1' })).toBe(own);
  });

  test.each([
    ['of another namespace', { account: 'other/web' }, 7],
    ['of another account', { account: 'shop/api' }, 7],
    ['from another address', { peer: '10.1.0.2:4000' }, 7],
    ['of a workload that is not there', { id: 'sidecar~10.1.0.1~gone.shop~d' }, 14],
    ['without a workload in its node id', { id: 'sidecar~10.1.0.1~web~d' }, 3],
  ])('refuses a client %s', async (_name, asked, code) => {
    expect(await setUp()(asked)).toBe(code);
  });

  test.each([
    ['Catalog', 'sidecar~10.1.0.1~10.1.0.1.service.consul~service.consul', '10.1.0.1:4000'],
    ['Mock', 'sidecar~10.1.0.1~10.1.0.1~', '10.1.0.1:4000'],
    ['Mock, over IPv6', 'sidecar~fd00::1~fd00::1~', '[fd00::1]:4000'],
  ])('finds the workload of a proxy that the registry %s calls by its address', async (_registry, id, peer) => {
    expect(await setUp()({ id, peer })).toBe('spiffe://cluster.local/ns/shop/sa/web web 1.40.0');
    expect(await setUp()({ id, peer, account: 'shop/api' })).toBe(14);
    expect(await setUp()({ id, peer: '10.1.0.2:4000' })).toBe(7);
    expect(await setUp(false, () => 0, meshOf(['web.shop', 'other.shop']))({ id, peer })).toBe(3);
  });

  test('limits how often one proxy opens streams, and allows more later', async () => {
    let now = 0;
    const admit = setUp(false, () => now);
    const codes: unknown[] = [];
    for (let i = 0; i < 11; i++) codes.push(await admit());
    expect(codes.filter((code) => code === 8)).toHaveLength(1);
    now = 2_000;
    expect(await admit()).not.toBe(8);
  });

  test('counts waits for workloads that do not exist only against the caller', async () => {
    const admit = setUp();
    const made = (i: number) => admit({ account: 'bad/any', id: idOf(`made-up-${i}.bad`) });
    const codes = await Promise.all(Array.from({ length: 2_000 }, (_, i) => made(i)));
    expect(codes.filter((code) => code === 14)).toHaveLength(250);
    expect(codes.filter((code) => code === 8)).toHaveLength(1_750);
    expect(await admit()).toContain('web');
    expect(await admit({ account: 'bad/other', id: idOf('other.bad') })).toBe(14);
  });

  test('lets a caller have 100 streams that wait for workloads, and refuses further ones at once', async () => {
    const [fleet, caller] = [
      new Fleet({ limits: { count: 1, bytes: 1 }, stepTimeoutMs: 1 }),
      { ...web, by: 'certificate' as const },
    ];
    const admission = new Admission(fleet, { trustDomain: 'd', takesAnyAddress: true, waitMs: 60_000 });
    const ask = (i: number) =>
      admission.admit(
        { authentication: { caller }, peer: '' },
        { typeUrl: '', nodeId: '', responseNonce: '', node: { envoyVersion: '', id: idOf(`w-${i}.shop`) } },
      );
    const waiting = Array.from({ length: 100 }, (_, i) => ask(i));
    await expect(ask(100)).rejects.toMatchObject({ code: 14 });
    fleet.update(meshOf(Array.from({ length: 101 }, (_, i) => `w-${i}.shop`)));
    expect(await Promise.all(waiting)).toHaveLength(100);
    expect(await ask(100)).toBeDefined();
  });

  test('limits the new streams of a namespace, so that others have their turn', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `w-${i}.crowd`);
    const admit = setUp(false, () => 0, meshOf([...names, 'web.shop']));
    const crowd = await Promise.all([
      ...names.map((name, i) => admit({ account: `crowd/${i % 3 === 0 ? 'web' : `other-${i % 3}`}`, id: idOf(name) })),
      ...names.map((name) => admit({ account: 'crowd/web', id: idOf(name) })),
    ]);
    expect(crowd.filter((answer) => typeof answer === 'string').length).toBeLessThanOrEqual(375);
    expect(await admit()).toContain('web');
  });

  test('admits all agents at once that have everything, and limits all others', async () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `w-${i}.crowd`);
    const digests = Object.values(configurationTypes).map(({ typeUrl }) => [typeUrl, emptyView.digest] as const);
    const has = { typeUrl: setType, initialVersions: Object.fromEntries(digests) };
    const lacks = { ...has, initialVersions: { ...has.initialVersions, [digests[2]?.[0] ?? '']: 'other' } };
    const crowd = (says: object): Promise<readonly unknown[]> => {
      const admit = setUp(false, () => 0, owners(names));
      return Promise.all(names.map((name, i) => admit({ account: `crowd/a-${i % 10}`, id: idOf(name), says })));
    };
    expect((await crowd(has)).filter((answer) => typeof answer === 'string')).toHaveLength(1_000);
    expect((await crowd(lacks)).filter((answer) => typeof answer === 'string')).toHaveLength(375);
    const admit = setUp();
    const again: unknown[] = [];
    for (let i = 0; i < 11; i++) again.push(await admit({ says: has }));
    expect(again.filter((answer) => answer === 8)).toHaveLength(1);
  });

  test('lets a proxy have 8 open streams, and one more for each that ends', async () => {
    const fleet = new Fleet({ limits: { count: 1, bytes: 1 }, stepTimeoutMs: 1 });
    fleet.update(mesh);
    const admission = new Admission(fleet, { trustDomain: 'd', takesAnyAddress: true });
    const caller = { ...web, by: 'certificate' as const };
    const ask = () =>
      admission.admit(
        { authentication: { caller }, peer: '' },
        { typeUrl: '', nodeId: '', responseNonce: '', node: { envoyVersion: '', id: idOf('web.shop') } },
      );
    const open = [];
    for (let i = 0; i < 8; i++) open.push(await ask());
    await expect(ask()).rejects.toMatchObject({ code: 8 });
    open[3]?.closed();
    expect(await ask()).toBeDefined();
  });
});

test.each([
  ['sidecar~1.2.3.4~web-0.v1.shop~shop.svc.cluster.local', { name: 'web-0.v1', namespace: 'shop' }],
  ['sidecar~1.2.3.4~web~d', undefined],
  ['web.shop', undefined],
  ['', undefined],
])('the node id %j is of %j', (id, expected) => {
  expect(proxyOf(id)).toEqual(expected);
});

test.each([
  ['10.1.0.1:80', '10.1.0.1'],
  ['[fd00::1]:80', 'fd00::1'],
  ['[::ffff:10.1.0.1]:80', '10.1.0.1'],
  ['::ffff:10.1.0.1:80', '10.1.0.1'],
])('the peer %s has the address %s', (peer, address) => {
  expect(addressOf(peer)).toBe(address);
});
