import { describe, expect, test } from 'vitest';
import type { Condition } from '../condition.ts';
import type { ObjectReport } from '../object-report.ts';
import { standardRequest } from './standard-request.ts';
import type { ParentStatus, StandardStatus } from './standard-status.ts';

const [group, kind] = ['gateway.networking.k8s.io', 'Gateway'];
const now = new Date('2026-05-01T10:00:00.500Z');
const past = '2026-01-01T00:00:00Z';

const report = (status: unknown, more: Partial<ObjectReport> = {}): ObjectReport => ({
  ...{ path: 'p', namespace: 'shop', name: 'web', generation: 2, revision: '7', conditions: [], verdict: undefined },
  type: { group, version: 'v1', kind: 'HTTPRoute', resource: 'httproutes', isNamespaced: true },
  status,
  ...more,
});
const words = (type: string, reason = type) => ({ type, status: 'True', reason, message: 'm' }) as const;
const condition = (type: string, more: Partial<Condition> = {}): Condition => {
  return { ...words(type), observedGeneration: 2, lastTransitionTime: past, ...more };
};
const parent = (name: string, conditions: readonly object[] = [words('Accepted')], controller = 'mesh.io') =>
  ({
    parentRef: { group, kind, name },
    controllerName: `${controller}/gateway-controller`,
    conditions,
  }) as unknown as ParentStatus;

const bodyOf = (found: unknown, wanted: StandardStatus) => {
  return standardRequest(report(found), wanted, now)?.body as { readonly status: object } | undefined;
};

describe('standardRequest', () => {
  test('writes a status for the revision that was seen, in the version of the server', () => {
    const gateway = { version: 'v1beta1', kind, resource: 'gateways', group, isNamespaced: true };
    const request = standardRequest(report(undefined, { type: gateway }), { conditions: [words('Accepted')] }, now);
    expect(request).toEqual({
      method: 'PATCH',
      path: '/apis/gateway.networking.k8s.io/v1beta1/namespaces/shop/gateways/web/status?fieldManager=meshd',
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: '7' },
        status: { conditions: [condition('Accepted', { lastTransitionTime: '2026-05-01T10:00:00Z' })] },
      },
    });
  });

  test('writes nothing again of what it wrote, whatever a server has filled in', () => {
    const wanted: StandardStatus = {
      conditions: [words('Accepted'), words('Programmed')],
      addresses: [{ type: 'Hostname', value: 'edges.shop.svc.cluster.local' }],
      listeners: [
        {
          name: 'http',
          supportedKinds: [{ group, kind: 'HTTPRoute' }],
          attachedRoutes: 1,
          conditions: [words('Accepted')],
        },
      ],
      parents: [parent('edge')],
    };
    const status = bodyOf({}, wanted)?.status as { readonly listeners: readonly object[] };
    expect(bodyOf(status, wanted)).toBe(undefined);
    const filled = {
      ...status,
      listeners: status.listeners.map((it) => ({ ...it, more: 1 })),
      attachedListenerSets: 0,
    };
    expect(bodyOf(filled, wanted)).toBe(undefined);
    expect(bodyOf({}, { parents: [] })).toBe(undefined);
    expect(bodyOf({}, { addresses: [] })).toBe(undefined);
  });

  test('leaves entries of other controllers as they are, and takes out those of ours that are not wanted', () => {
    const foreign = parent(
      'other',
      [condition('Accepted', { reason: 'Theirs', observedGeneration: 1 })],
      'example.com',
    );
    const [gone, old] = [parent('gone', [condition('Accepted')]), parent('edge', [condition('Accepted')])];
    const after = bodyOf({ parents: [gone, foreign, old] }, { parents: [parent('edge'), parent('new')] });
    expect(after?.status).toEqual({
      parents: [foreign, old, parent('new', [condition('Accepted', { lastTransitionTime: '2026-05-01T10:00:00Z' })])],
    });
    expect(bodyOf({ parents: [foreign] }, { parents: [] })).toBe(undefined);
    expect(bodyOf({ parents: [gone] }, { parents: [] })?.status).toEqual({ parents: [] });
  });

  test('leaves conditions of others at their places, and takes out those of ours that are not wanted', () => {
    const foreign = condition('Theirs');
    const found = { conditions: [condition('Accepted'), foreign, condition('Programmed'), condition('ResolvedRefs')] };
    const wanted = { conditions: [words('Programmed', 'Other'), words('Accepted')] };
    expect(bodyOf(found, wanted)?.status).toEqual({
      conditions: [condition('Accepted'), foreign, condition('Programmed', { reason: 'Other' })],
    });
  });

  test('keeps the time of a condition whose status stays, and writes another generation', () => {
    const found = { conditions: [condition('Accepted', { observedGeneration: 1 })] };
    expect(bodyOf(found, { conditions: [words('Accepted')] })?.status).toEqual({ conditions: [condition('Accepted')] });
    const other = { conditions: [{ ...words('Accepted'), status: 'False' as const }] };
    expect(bodyOf(found, other)?.status).toMatchObject({
      conditions: [{ status: 'False', lastTransitionTime: '2026-05-01T10:00:00Z' }],
    });
  });

  test('takes out listeners and addresses that are gone', () => {
    const listener = { name: 'http', supportedKinds: [], attachedRoutes: 0, conditions: [] };
    const found = {
      addresses: [{ type: 'Hostname', value: 'a' }],
      listeners: [{ ...listener, name: 'old' }, listener],
    };
    expect(bodyOf(found, { addresses: [], listeners: [listener] })?.status).toEqual({
      ...{ addresses: [], listeners: [listener] },
    });
  });
});
