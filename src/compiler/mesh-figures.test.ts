import { describe, expect, test } from 'vitest';
import { readSettings } from '../config/read.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { compileFixture, readFixture } from '../testing/fixture.ts';
import { compile } from './compile.ts';
import type { MeshFigures } from './mesh-figures.ts';

async function figuresOf(name: string): Promise<MeshFigures> {
  const compilation = compileFixture(await readFixture('fixtures/ok', name));
  return compilation!.figures;
}

const twoPortsOfOneNumber = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
spec: {serviceAccountName: cart, containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.0.0.1, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Service
metadata: {name: bank, namespace: shop}
spec: {selector: {app: bank}, ports: [{name: http-a, port: 80}, {name: http-b, port: 80}]}
`;

describe('meshFigures', () => {
  test.each<[keyof MeshFigures['gauges'], string, number]>([
    ['endpoint_no_pod', 'service-endpoints-object', 1],
    ['pilot_conflict_inbound_listener', 'service-inbound-port-conflict', 1],
    ['pilot_conflict_outbound_listener_http_over_current_tcp', 'lower-tcp-before-http-without-detection', 1],
    ['pilot_conflict_outbound_listener_tcp_over_current_http', 'lower-http-before-tcp-without-detection', 1],
    ['pilot_conflict_outbound_listener_tcp_over_current_tcp', 'lower-tcp-over-tcp', 1],
    ['pilot_destrule_subsets', 'rule-two-rules-merge', 1],
    ['pilot_eds_no_instances', 'authz-custom-http', 3],
    ['pilot_endpoint_not_ready', 'service-endpoint-unready', 1],
    ['pilot_no_ip', 'authz-of-another-namespace', 1],
    ['pilot_virt_services', 'gateway-bind', 1],
    ['pilot_vservice_dup_domain', 'lower-domain-of-two-services', 1],
  ])('counts %s in %s', async (gauge, name, expected) => {
    expect((await figuresOf(name)).gauges[gauge]).toBe(expected);
    expect((await figuresOf('input-json')).gauges[gauge]).toBe(0);
  });

  test('counts pilot_duplicate_envoy_clusters of a host with two ports of one number', async () => {
    const bag = new DiagnosticBag();
    const { settings } = await readSettings({ meshConfig: undefined, environment: {} }, bag);
    const files = [{ path: 'mesh.yaml', text: twoPortsOfOneNumber }];
    const compilation = compile({ settings, files, select: 'all' }, bag);
    expect(compilation?.figures.gauges.pilot_duplicate_envoy_clusters).toBe(1);
  });

  test('names the gateways whose servers were left out', async () => {
    expect((await figuresOf('gateway-two-tcp-servers')).rejected).toEqual([
      { kind: 'gateway', namespace: 'shop', name: 'shop' },
    ]);
  });
});
