import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects, peerMode, serviceMesh } from './testing/sample-mesh.ts';

const topology = objects(
  serviceMesh,
  `apiVersion: v1
kind: Service
metadata: {name: empty, namespace: foo}
spec: {clusterIP: 10.1.0.11, selector: {app: nobody}, ports: [{name: http, port: 8000}]}
---
apiVersion: v1
kind: Service
metadata: {name: bytes, namespace: foo}
spec: {clusterIP: 10.1.0.12, selector: {app: httpbin}, ports: [{name: tcp, port: 9000, targetPort: 8000}]}
---
apiVersion: v1
kind: Pod
metadata: {name: young, namespace: foo, labels: {app: young}}
spec: {containers: [{name: app}]}
---
apiVersion: v1
kind: Pod
metadata: {name: slow, namespace: foo, labels: {app: httpbin}}
spec: {containers: [{name: app}]}
status: {podIP: 127.0.0.2, conditions: [{type: Ready, status: "False"}]}
`,
);

const virtualService = `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: one, namespace: foo}
spec: {hosts: [httpbin], http: [{route: [{destination: {host: httpbin}}]}]}
`;

describe('the metrics of pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(topology);
    await proxy.write('mesh.yaml', 'allowedLocalEndpoints: [127.0.0.0/8]\n');
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'] });
    await proxy.logged('state=running');
  });
  afterEach(() => proxy.close());

  const figures = (): ReadonlyMap<string, number> => {
    const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
    return new Map([...body.matchAll(/^([^#\s]+) (\S+)$/gm)].map(([, series = '', value]) => [series, Number(value)]));
  };
  const reach = (expected: Readonly<Record<string, number>>): Promise<void> =>
    eventually(
      () => {
        const seen = figures();
        expect(Object.fromEntries(Object.keys(expected).map((series) => [series, seen.get(series)]))).toEqual(expected);
      },
      { interval: 100 },
    );

  test('count the objects of the inputs, and follow their changes', async () => {
    await reach({
      pilot_no_ip: 1,
      pilot_endpoint_not_ready: 2,
      pilot_eds_no_instances: 1,
      pilot_conflict_inbound_listener: 1,
      pilot_virt_services: 0,
      mesh_agent_reloads_total: 0,
      'mesh_agent_state{state="running"}': 1,
    });
    await proxy.write('mesh/vs.yaml', virtualService);
    await reach({ pilot_virt_services: 1, mesh_agent_reloads_total: 1, mesh_agent_compilations_total: 1 });
    const seen = figures();
    expect(seen.get('mesh_agent_changes_total')).toBeGreaterThan(0);
    expect(seen.get('mesh_agent_reload_seconds_total')).toBeGreaterThan(0);
    expect(seen.get('mesh_agent_config_last_success_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(seen.get('mesh_agent_certificate_expiry_timestamp_seconds{resource_name="default"}')).toBeGreaterThan(
      Date.now() / 1000,
    );
    expect([...seen.keys()].filter((series) => series.startsWith('mesh_build{component="agent",tag='))).toHaveLength(1);
  });

  test('count an object that is rejected, and those secrets that Envoy gets', async () => {
    const rejected = 'pilot_total_rejected_configs{type="peerauthentication",name="foo/default"}';
    await proxy.write('mesh/peer.yaml', peerMode('STRICT'));
    await reach({ total_active_connections: 2, total_pushes: 2, mesh_agent_reloads_total: 1 });
    await proxy.write('mesh/peer.yaml', peerMode('STRICKT'));
    await reach({ [rejected]: 1, mesh_agent_objects_held: 1 });
    await proxy.write('mesh/peer.yaml', peerMode('STRICT'));
    await reach({ [rejected]: 1, mesh_agent_objects_held: 0 });
  });
});
