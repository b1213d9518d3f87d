import { describe, expect, test } from 'vitest';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { deltaForm } from '../../xds/form.ts';
import type { DeltaRequest, DeltaResponse } from '../../xds/message.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ScopedStreams } from '../../xds/scoped-streams.ts';
import { plainMesh } from '../testing/plain-mesh.ts';
import { DistributionTracker } from './distribution-tracker.ts';
import { Fleet } from './fleet.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';

const { typeUrl } = configurationTypes.listeners;
const key = 'AuthorizationPolicy/foo/deny';
const refused = { code: 13, message: 'no' };

/** A mesh whose proxies have a listener each, and streams of theirs in the incremental form. */
class TrackedMesh {
  #nowMs = 0;
  readonly tracker = new DistributionTracker(60_000, () => this.#nowMs);
  readonly fleet = new Fleet({
    ...{ limits: { count: 100, bytes: 1e6 }, stepTimeoutMs: 5_000, watchers: [this.tracker], hasNamedNonces: true },
  });

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** `policy` is the text of the one policy; of the proxies in `frozen` the configuration is of an older one. */
  serve(policy: string, own: Readonly<Record<string, string>>, { isUrgent = false, frozen = '' } = {}): void {
    const resource = (text: string) => ({ name: 'in', version: contentVersion(text), body: Buffer.from(text) });
    const empty = { id: 'empty', list: 'clusters', resources: [] } as const;
    const lists = Object.values(own).map((text) => ({
      ...{ id: text, list: 'listeners' as const, resources: [resource(text)] },
    }));
    const none = { clusters: 'empty', endpoints: 'empty', listeners: 'empty', routes: 'empty' };
    const proxies = Object.entries(own).map(([name, text]) => ({
      ...{ namespace: 'shop', name, serviceAccount: name, addresses: [], isUrgent, isFrozen: frozen === name },
      ...{ shared: none, own: { ...none, listeners: text } },
    }));
    this.fleet.update(new SnapshotReceiver(this.fleet.snapshot).receive(plainMesh([empty, ...lists], proxies)), {
      version: contentVersion(policy),
      objects: { isWhole: false, changed: [[key, policy]], removed: [] },
      times: { changedMs: 0, beganMs: 0, endedMs: 0 },
    });
  }

  open(name: string) {
    const owner = { proxy: { namespace: 'shop', name, serviceAccount: name }, identity: name, envoyVersion: '1.40.0' };
    const stream = this.fleet.open(owner);
    const streams = new ScopedStreams(deltaForm, stream, {});
    const ask = (fields: Partial<DeltaRequest>) =>
      streams.receive({
        ...{ nodeId: 'id', typeUrl, subscribe: [], unsubscribe: [], initialVersions: {}, responseNonce: '' },
        ...{ errorDetail: undefined, ...fields },
      });
    const answer = ({ nonce }: DeltaResponse, errorDetail?: DeltaRequest['errorDetail']) =>
      ask({ responseNonce: nonce, errorDetail }) ?? streams.next().response;
    const next = (): DeltaResponse => streams.next().response as DeltaResponse;
    return { stream, streams, next, answer, first: ask({ subscribe: ['*'] }) as DeltaResponse };
  }

  /** The version of the policy that each proxy has acknowledged with its listeners. */
  get acknowledged(): Readonly<Record<string, string | undefined>> {
    const { proxies = [] } = this.tracker.ofObject(key) ?? {};
    return Object.fromEntries(proxies.map(({ proxy, acknowledged }) => [proxy, acknowledged.listeners]));
  }
}

describe('DistributionTracker', () => {
  test('knows which version of an object each proxy has acknowledged, and not what is on its way', () => {
    const mesh = new TrackedMesh();
    mesh.serve('deny1', { web: 'w1', api: 'a1' });
    const [web, api] = [mesh.open('web'), mesh.open('api')];
    expect(mesh.acknowledged).toEqual({ 'shop/web': undefined, 'shop/api': undefined });
    web.answer(web.first);
    api.answer(api.first);
    mesh.serve('deny2', { web: 'w2', api: 'a1' });
    // Nothing of api's configuration differs: it has the new version without a word.
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny1', 'shop/api': 'deny2' });
    web.answer(web.next());
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny2', 'shop/api': 'deny2' });
    expect(mesh.tracker.ofObject(key)?.version).toBe('deny2');
    expect(mesh.tracker.ofObject('Pod/foo/none')).toBeUndefined();
    api.stream.closed();
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny2' });
  });

  test('does not count a refused response as acknowledged, even one that is never held back', () => {
    const mesh = new TrackedMesh();
    mesh.serve('deny1', { web: 'w1' });
    const web = mesh.open('web');
    web.answer(web.first);
    mesh.serve('deny2', { web: 'w2' }, { isUrgent: true });
    web.answer(web.next(), refused);
    web.streams.tellComplete();
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny1' });
    expect(mesh.tracker.ofResource('listeners', 'in')).toEqual([
      { proxy: 'shop/web', served: contentVersion('w2'), acknowledged: contentVersion('w1') },
    ]);
    mesh.serve('deny3', { web: 'w3' }, { isUrgent: true });
    web.answer(web.next());
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny3' });
  });

  test('counts no newer version for a proxy that keeps older policies or gets an older resource', () => {
    const mesh = new TrackedMesh();
    mesh.serve('deny1', { web: 'w1', api: 'a1' });
    const [web, api] = [mesh.open('web'), mesh.open('api')];
    web.answer(web.first);
    api.answer(api.first);
    mesh.serve('deny2', { web: 'w1', api: 'a2' }, { frozen: 'web' });
    // Held back for api from now on: the version before comes again.
    const again = api.answer(api.next(), refused) as DeltaResponse;
    if (again !== undefined) api.answer(again);
    api.streams.tellComplete();
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny1', 'shop/api': 'deny1' });
  });

  test('counts the streams that have the same inputs, and knows since which snapshot an object has its version', () => {
    const mesh = new TrackedMesh();
    const counted = () => mesh.tracker.progress().map(({ inputs, streams }) => [inputs, streams]);
    expect(counted()).toEqual([['', 0]]);
    mesh.serve('deny1', { web: 'w1', api: 'a1' });
    const [first, second] = [contentVersion('deny1'), contentVersion('deny2')];
    const [web, api] = [mesh.open('web'), mesh.open('api')];
    expect(counted()).toEqual([
      ['', 2],
      [first, 0],
    ]);
    web.answer(web.first);
    api.answer(api.first);
    expect(counted()).toEqual([[first, 2]]);
    mesh.serve('deny2', { web: 'w2', api: 'a1' });
    expect(counted()).toEqual([
      [first, 1],
      [second, 1],
    ]);
    web.answer(web.next());
    expect(counted()).toEqual([[second, 2]]);
    expect(mesh.tracker.inForceSince(key)).toBe(mesh.tracker.numberOf(second));
    expect(mesh.tracker.numberOf(first)).toBe(1);
    mesh.serve('deny2', { web: 'w3', api: 'a1' });
    expect([mesh.tracker.inForceSince(key), mesh.tracker.numberOf(second)]).toEqual([2, 3]);
  });

  test('remembers the last thousand inputs, and those that a stream has', () => {
    const mesh = new TrackedMesh();
    mesh.serve('deny0', { web: 'w1' });
    const web = mesh.open('web');
    web.answer(web.first);
    for (let i = 1; i <= 1_100; i++) mesh.serve(`deny${i}`, { web: `v${i}` });
    expect(mesh.tracker.progress()).toMatchObject([{ inputs: contentVersion('deny0'), streams: 1 }, { streams: 0 }]);
    expect(mesh.tracker.numberOf(contentVersion('deny2'))).toBeUndefined();
    expect(mesh.tracker.numberOf(contentVersion('deny1000'))).toBe(1_001);
  });

  test('forgets the version of an acknowledgement after the retention time', () => {
    const mesh = new TrackedMesh();
    mesh.serve('deny1', { web: 'w1' });
    const web = mesh.open('web');
    web.answer(web.first);
    mesh.serve('deny2', { web: 'w2' });
    mesh.pass(59_999);
    expect(mesh.acknowledged).toEqual({ 'shop/web': 'deny1' });
    mesh.pass(2);
    expect(mesh.acknowledged).toEqual({ 'shop/web': undefined });
  });

  test('has nonces that begin with the version of the inputs, and then count', () => {
    const mesh = new TrackedMesh();
    mesh.serve('a', { web: 'w1' });
    const web = mesh.open('web');
    mesh.serve('b', { web: 'w9' });
    const prefix = (policy: string): string => contentVersion(policy).slice(0, 12);
    expect([web.first.nonce, web.next().nonce]).toEqual([`${prefix('a')}-1`, `${prefix('b')}-2`]);
  });
});
