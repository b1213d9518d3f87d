import { describe, expect, test } from 'vitest';
import { type PlanObject, planFloor } from './floor-plan.ts';

function pod(overrides: {
  labels?: Record<string, string>;
  spec?: object;
  annotations?: Record<string, string>;
}): PlanObject {
  return {
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'foo', labels: { app: 'a' }, ...overrides },
    spec: { serviceAccountName: 'a', containers: [], ...overrides.spec },
    status: { podIP: '10.77.0.2', podIPs: [{ ip: '10.77.0.2' }, { ip: 'fd77::2' }] },
  };
}

const injectedNamespace: PlanObject = {
  kind: 'Namespace',
  metadata: { name: 'foo', labels: { 'mesh-injection': 'enabled' } },
};

describe('planFloor', () => {
  test.each<[string, readonly PlanObject[], boolean]>([
    ['a container named mesh-proxy', [pod({ spec: { containers: [{ name: 'mesh-proxy' }] } })], true],
    ['its namespace is injected', [injectedNamespace, pod({})], true],
    [
      'its namespace is injected and the pod refuses',
      [injectedNamespace, pod({ annotations: { 'sidecar.mesh.io/inject': 'false' } })],
      false,
    ],
    ['nothing says so', [pod({})], false],
  ])('gives a pod a sidecar by what is said: %s', (_name, objects, expected) => {
    expect(planFloor(objects).pods[0]?.hasSidecar).toBe(expected);
  });

  test('takes a pod whose proxy runs as a router for a gateway, also in an injected namespace', () => {
    const containers = [{ name: 'mesh-proxy', args: ['proxy', 'router'] }];
    const [planned] = planFloor([injectedNamespace, pod({ spec: { containers } })]).pods;
    expect(planned).toMatchObject({ isRouter: true, hasSidecar: false });
  });

  test('starts what the names of the container ports say, where LISTEN_ADDRESS says', () => {
    const containers = [
      {
        name: 'one',
        ports: [
          { name: 'http', containerPort: 80 },
          { name: 'greeting-db', containerPort: 81 },
          { name: 'http-resource', containerPort: 83 },
        ],
      },
      { name: 'two', env: [{ name: 'LISTEN_ADDRESS', value: '127.0.0.1' }], ports: [{ containerPort: 82 }] },
    ];
    expect(planFloor([pod({ spec: { containers } })]).pods[0]?.ports).toEqual([
      { port: 80, role: 'http', address: '::' },
      { port: 81, role: 'greeting', address: '::' },
      { port: 83, role: 'resource', address: '::' },
      { port: 82, role: 'echo', address: '127.0.0.1' },
    ]);
  });

  test('leads a service to the pod that its selector matches, by port name too', () => {
    const backend = pod({ spec: { containers: [{ name: 'a', ports: [{ name: 'http', containerPort: 8080 }] }] } });
    const service: PlanObject = {
      kind: 'Service',
      metadata: { name: 'web', namespace: 'foo' },
      spec: {
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1', 'fd96::1'],
        selector: { app: 'a' },
        ports: [{ port: 80, targetPort: 'http' }],
      },
    };
    const [planned] = planFloor([service, backend]).services;
    expect(planned).toMatchObject({ addresses: ['10.96.0.1', 'fd96::1'], ports: [{ port: 80, targetPort: 8080 }] });
    expect(planned?.backend?.network).toBe('foo-a');
  });
});
