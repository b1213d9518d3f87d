import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../../kubernetes/resource-type.ts';
import { type FollowedKind, followedKinds } from './kinds.ts';
import { textOf } from './projection.ts';

const kinds = new Map(followedKinds({ slices: true }).map((kind) => [`${kind.type.group}/${kind.type.kind}`, kind]));
const kindOf = (name: string): FollowedKind['type'] => kinds.get(name)?.type ?? expect.fail(name);
const read = (object: object, name: string) => JSON.parse(textOf(object as ApiObject, kindOf(name)));

const pod = {
  metadata: {
    ...{ name: 'a', namespace: 'foo', uid: '1', resourceVersion: '7', managedFields: [{}], generation: 2 },
    labels: { z: '1', app: 'a' },
    annotations: {
      'sidecar.istio.io/inject': 'true',
      'control-plane.alpha.kubernetes.io/leader': 'now',
      'proxy.mesh.io/config': '{}',
    },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a-1', uid: '9', controller: true }],
  },
  spec: {
    serviceAccountName: 'a',
    nodeName: 'n1',
    tolerations: [],
    containers: [
      { name: 'a', image: 'x', env: [{ name: 'SECRET', value: 'b' }], ports: [{ containerPort: 80, name: 'http' }] },
    ],
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    hostIP: '10.9.0.1',
    conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
};

describe('textOf', () => {
  test('keeps of a pod what its schema names, and the annotations of the mesh', () => {
    expect(read(pod, '/Pod')).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{ name: 'a', namespace: 'foo', labels: { app: 'a', z: '1' } },
        annotations: { 'proxy.mesh.io/config': '{}', 'sidecar.istio.io/inject': 'true' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'a-1' }],
      },
      spec: {
        serviceAccountName: 'a',
        nodeName: 'n1',
        containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 80, name: 'http' }] }],
      },
      status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });

  test('is the same for two objects that differ only in fields that are not read, and in the order of fields', () => {
    const beat = {
      ...{ status: { ...pod.status, startTime: 'x' }, spec: pod.spec },
      metadata: { ...pod.metadata, resourceVersion: '8', annotations: { ...pod.metadata.annotations, heartbeat: '2' } },
    };
    expect(textOf(beat as ApiObject, kindOf('/Pod'))).toBe(textOf(pod as ApiObject, kindOf('/Pod')));
  });

  test('keeps only the locality labels of a node', () => {
    const region = { 'topology.kubernetes.io/region': 'r', 'failure-domain.beta.kubernetes.io/zone': 'z' };
    const labels = {
      ...region,
      'kubernetes.io/hostname': 'n1',
      'topology.istio.io/subzone': 's',
      'mesh-locality': 'x',
    };
    const node = { metadata: { name: 'n1', labels, annotations: { 'volumes.example.com/attached': '1' } } };
    expect(read(node, '/Node')).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', labels: { ...region, 'topology.istio.io/subzone': 's' } },
    });
  });

  test('keeps everything of a policy but its status and fields of the server, so that an unknown field is refused', () => {
    const policy = {
      apiVersion: 'security.mesh.io/v1beta1',
      kind: 'AuthorizationPolicy',
      metadata: {
        name: 'a',
        namespace: 'foo',
        creationTimestamp: '2026-01-01T00:00:00Z',
        generation: 3,
        managedFields: [],
      },
      spec: { action: 'DENY', unknown: [{ b: 1, a: 2 }] },
      status: { conditions: [] },
      surprise: true,
    };
    expect(read(policy, 'security.mesh.io/AuthorizationPolicy')).toEqual({
      ...{ apiVersion: policy.apiVersion, kind: policy.kind, spec: policy.spec, surprise: true },
      metadata: { name: 'a', namespace: 'foo', creationTimestamp: '2026-01-01T00:00:00Z' },
    });
  });

  test('keeps the status of a WorkloadEntry, which says whether it is healthy', () => {
    const entry = {
      metadata: { name: 'vm', namespace: 'foo' },
      spec: {},
      status: { conditions: [{ type: 'Healthy', status: 'False' }] },
    };
    expect(read(entry, 'networking.mesh.io/WorkloadEntry').status).toEqual(entry.status);
  });

  test('keeps the kind and version by which the object was asked for', () => {
    const entry = { metadata: { name: 'a', namespace: 'foo' }, spec: {} };
    expect(read(entry, 'security.istio.io/PeerAuthentication')).toMatchObject({
      apiVersion: 'security.istio.io/v1beta1',
      kind: 'PeerAuthentication',
    });
  });
});
