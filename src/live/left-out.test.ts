import { describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { Fleet } from './fleet.ts';
import type { FleetOutcome } from './fleet-outcome.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';

const mesh = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a, labels: {app: web}}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: a}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80}]}
`;

const object = (group: string, kind: string, spec: string): string => `apiVersion: ${group}/v1
kind: ${kind}
metadata: {name: one, namespace: a}
spec: ${spec}
`;
const routes = (regex: string): string =>
  object(
    'networking.istio.io',
    'VirtualService',
    `{hosts: [web], http: [{match: [{uri: {regex: '${regex}'}}], route: [{destination: {host: web}}]}]}`,
  );

class Given {
  readonly #fleet: Fleet;
  #count = 0;

  constructor(leavesOutInvalid: boolean) {
    const newCompiler = () => createCompiler({ settings: defaultSettings });
    const gatherer = createKeySetGatherer([]);
    this.#fleet = new Fleet({ settings: defaultSettings, createCompiler: newCompiler, gatherer, leavesOutInvalid });
  }

  take(...texts: readonly string[]): Promise<FleetOutcome> {
    const files = [mesh, ...texts].map((text, i) => ({ path: `${i}.yaml`, text }));
    return this.#fleet.take(files, `v${++this.#count}`);
  }
}

const stateOf = ({ outcomes }: FleetOutcome, proxy = 'a/web'): string => {
  const outcome = outcomes.get(proxy) ?? expect.fail(`no proxy ${proxy}`);
  const faults = outcome.faults.map(({ errors, heldSince }) => [errors[0]?.code, heldSince ?? 'not held'].join(' '));
  const what = 'config' in outcome ? 'configured' : outcome.isDenying ? 'denying' : 'frozen';
  return [what, ...faults].join(', ');
};

describe('a fleet that leaves out invalid objects', () => {
  test('configures its proxies without a route that was never valid, and says what is wrong with it', async () => {
    expect(stateOf(await new Given(true).take(routes('(')))).toBe('configured, invalid-regex not held');
    expect(stateOf(await new Given(false).take(routes('(')))).toBe('denying, invalid-regex not held');
  });

  test('holds the last valid version of a route, as others do', async () => {
    const given = new Given(true);
    expect(stateOf(await given.take(routes('/a')))).toBe('configured');
    expect(stateOf(await given.take(routes('(')))).toBe('configured, invalid-regex v1');
    expect(stateOf(await given.take(routes('/b')))).toBe('configured');
  });

  test.each([
    ['security.mesh.io', 'AuthorizationPolicy', '{action: DENI}', 'unknown-enum-value'],
    ['security.mesh.io', 'PeerAuthentication', '{mtls: {mode: SECURE}}', 'unknown-enum-value'],
    ['security.mesh.io', 'RequestAuthentication', '{jwtRules: [{}]}', 'missing-issuer'],
    ['networking.mesh.io', 'DestinationRule', '{host: web, trafficPolicy: {}}', 'empty-object'],
    ['networking.mesh.io', 'Sidecar', '{egress: []}', 'empty-list'],
  ])('never leaves out what may take something away: %s %s', async (group, kind, spec, code) => {
    expect(stateOf(await new Given(true).take(object(group, kind, spec)))).toBe(`denying, ${code} not held`);
  });

  test('leaves out a route of the Gateway API, but not a Gateway, for which there may be policies', async () => {
    const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: a}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.2}
`;
    const standard = (kind: string, spec: string): string => object('gateway.networking.k8s.io', kind, spec);
    const route = standard('HTTPRoute', '{parentRefs: [{name: one}], rules: [{matches: [{path: {value: a}}]}]}');
    const gateway = standard('Gateway', '{gatewayClassName: mesh, listeners: []}');
    const served = standard('Gateway', '{gatewayClassName: mesh, listeners: [{name: a, port: 80, protocol: HTTP}]}');
    const stateWith = async (leavesOut: boolean, ...texts: readonly string[]) =>
      stateOf(await new Given(leavesOut).take(edge, ...texts), 'a/edge');
    expect(await stateWith(true, served, route)).toBe('configured, path-of-no-request not held');
    expect(await stateWith(false, served, route)).toBe('denying, path-of-no-request not held');
    expect(await stateWith(true, gateway)).toBe('denying, empty-list not held');
  });

  test('does not leave out what is invalid only beside other objects', async () => {
    const entry = object('networking.mesh.io', 'ServiceEntry', "{hosts: ['*.example.com'], resolution: DYNAMIC_DNS}");
    expect(stateOf(await new Given(true).take(entry))).toBe('denying, unsupported-resolution not held');
  });
});
