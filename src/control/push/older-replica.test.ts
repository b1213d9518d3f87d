import { expect, test } from 'vitest';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { positionName } from '../../xds/position.ts';
import { emptyView } from '../../xds/resource-view.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { setType } from '../../xds/whole-sets.ts';
import { positionText } from '../registry/position.ts';
import { plainMesh } from '../testing/plain-mesh.ts';
import { Admission } from './admission.ts';
import { Fleet } from './fleet.ts';
import { emptySnapshot, SnapshotReceiver } from './mesh-snapshot.ts';

const none = { clusters: 'c', endpoints: 'e', listeners: 'l', routes: 'r' };
const lists = (['clusters', 'endpoints', 'listeners', 'routes'] as const).map((list) => ({
  ...{ id: list[0] ?? '', list, resources: [] },
}));
const web = { namespace: 'shop', name: 'web', serviceAccount: 'web', addresses: ['10.1.0.1'] };
const mesh = new SnapshotReceiver(emptySnapshot).receive(
  plainMesh(lists, [{ ...web, isUrgent: false, isFrozen: false, shared: none, own: none }]),
);
const position = (changed: number, read: number) => ({ layout: 'l', changed: [changed], read: [read] });
const textOf = (changed: number): string => positionText(position(changed, 0)) ?? '';
const times = { changedMs: 0, beganMs: 0, endedMs: 0 };

function setUp(read: number) {
  const fleet = new Fleet({ limits: { count: 1, bytes: 1 }, stepTimeoutMs: 1 });
  fleet.update(mesh, { version: '', times, position: position(5, read) });
  const admission = new Admission(fleet, { trustDomain: 'cluster.local', takesAnyAddress: false });
  const ask = async (versions: Readonly<Record<string, string>>, typeUrl = setType): Promise<unknown> => {
    const authentication = { caller: { namespace: 'shop', serviceAccount: 'web', by: 'certificate' as const } };
    const node = { id: 'sidecar~10.1.0.1~web.shop~d', envoyVersion: '1.40.0' };
    const first = { typeUrl, nodeId: node.id, responseNonce: '', node, initialVersions: versions };
    try {
      const stream = await admission.admit({ authentication, peer: '10.1.0.1:4000' }, first);
      const told = stream.sourceOf(configurationTypes.clusters.typeUrl)?.position;
      stream.closed();
      return told;
    } catch (error) {
      if (!(error instanceof StreamRefusal)) throw error;
      return error.code;
    }
  };
  return { fleet, ask };
}

test('a replica refuses a client that has something newer, however often it asks, and tells others its own state', async () => {
  const { ask } = setUp(7);
  expect(await ask({})).toBe(textOf(5));
  expect(await ask({ [positionName]: textOf(7) })).toBe(textOf(5));
  // Failed preconditions, and no limit of new streams.
  const asked = Array.from({ length: 20 }, () => ask({ [positionName]: textOf(8) }));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([9]));
});

test('a replica takes the client as soon as it has read as much, and compiled it', async () => {
  const { fleet, ask } = setUp(7);
  const first = ask({ [positionName]: textOf(9) });
  fleet.readTo(position(5, 9));
  expect(await first).toBe(textOf(5));
  const second = ask({ [positionName]: textOf(10) });
  fleet.update(mesh, { version: '', times, position: position(10, 10) });
  expect(await second).toBe(textOf(10));
});

test('a replica takes a client that has all that it serves, however much newer that is', async () => {
  const { ask } = setUp(7);
  const digests = Object.values(configurationTypes).map(({ typeUrl }) => [typeUrl, emptyView.digest]);
  expect(await ask({ ...Object.fromEntries(digests), [positionName]: textOf(8) })).toBe(textOf(5));
});

test('a replica without numbers takes every client', async () => {
  const { fleet, ask } = setUp(7);
  fleet.update(mesh, { version: '', times });
  expect(await ask({ [positionName]: textOf(8) })).toBeUndefined();
});
