import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EnvoyConfig, Resource, ResourceSet } from '../../compiler/render/resource.ts';
import { runs } from '../../testing/effort.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';
import { SnapshotSender } from './snapshot-sender.ts';

const none: ResourceSet = { listeners: [], clusters: [], routes: [] };

function endpoints(name: string, version: number): Resource {
  const json = { cluster_name: name, endpoints: [{ priority: version }] };
  return { type: 'endpoints', name, text: JSON.stringify(json), json, origins: [] };
}

/** Proxies, each with endpoints in a half that it may share, and in one of its own. */
function configs(halves: readonly (readonly Resource[])[], shared: ResourceSet): readonly EnvoyConfig[] {
  return halves.map(
    (own, i): EnvoyConfig => ({
      ...{ ...none, namespace: 'a', workload: `p-${i}`, bootstrap: endpoints('b', 0), delivery: 'ads' },
      ...{ own: { ...none }, shared, hasAllListeners: true, endpoints: [] },
      ...{ ownEndpoints: own, sharedEndpoints: halves[0] ?? [] },
    }),
  );
}

function sent(sender: SnapshotSender, all: readonly EnvoyConfig[]) {
  return structuredClone(sender.send({ configs: all, workloads: [] }, () => false));
}

test('of a list in which one resource is another, that one alone is sent, with its place', () => {
  const [sender, receiver] = [new SnapshotSender(), new SnapshotReceiver()];
  const list = ['a', 'b', 'c', 'd', 'e'].map((name) => endpoints(name, 1));
  const shared = { ...none };
  receiver.receive(sent(sender, configs([list], shared)));
  const plain = sent(sender, configs([list.with(2, endpoints('c', 2))], shared));
  expect(plain.lists.map(({ places, resources }) => ({ places, names: resources.map(({ name }) => name) }))).toEqual([
    { places: [2], names: ['c'] },
  ]);
  const [proxy] = receiver.receive(plain).proxies.values();
  expect(proxy?.views.endpoints.get('c')?.version).toBe(sentVersion('c', 2));
});

test('a resource that was told by an equal one in its place, and went with it, is sent with its body when it comes back', () => {
  const [sender, receiver, shared] = [new SnapshotSender(), new SnapshotReceiver(), { ...none }];
  const [older, newer] = [endpoints('a', 1), endpoints('a', 1)];
  const send = (list: readonly Resource[]) => receiver.receive(sent(sender, configs([list], shared)));
  for (const list of [[older], [], [newer], [older], []]) send(list);
  const [proxy] = send([newer]).proxies.values();
  expect(proxy?.views.endpoints.get('a')?.version).toBe(sentVersion('a', 1));
});

test('after any changes the receiver has what was sent', () => {
  // The third says which of several equal objects it is.
  const resource = fc.tuple(fc.constantFrom(...'abcdefgh'), fc.nat(2), fc.nat(1));
  const list = fc.uniqueArray(resource, { selector: ([name]) => name, maxLength: 8 });
  const snapshots = fc.array(fc.array(list, { minLength: 1, maxLength: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(snapshots, (all) => {
      const [sender, receiver, shared] = [new SnapshotSender(), new SnapshotReceiver(), { ...none }];
      const known = new Map<string, Resource>();
      for (const lists of all) {
        const made = lists.map((each) =>
          each.map(([name, of, which]) => {
            const key = `${name}${of} ${which}`;
            const resource = known.get(key) ?? endpoints(name, of);
            known.set(key, resource);
            return resource;
          }),
        );
        const { proxies } = receiver.receive(sent(sender, configs(made, shared)));
        for (const [i, [, { views }]] of [...proxies].entries()) {
          const parts = views.endpoints.parts.map((part) => part.all.map((it) => [it.name, it.version]));
          const told = [lists[0] ?? [], lists[i] ?? []].map((each) =>
            each.map(([name, of]) => [name, sentVersion(name, of)]).sort(),
          );
          expect(parts).toEqual(told);
        }
      }
    }),
    runs(60),
  );
});

function sentVersion(name: string, version: number): string | undefined {
  const { lists } = new SnapshotSender().send(
    { configs: configs([[endpoints(name, version)]], none), workloads: [] },
    () => false,
  );
  return lists.find(({ resources }) => resources.length > 0)?.resources[0]?.version;
}
