import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { eventually } from '../../testing/eventually.ts';
import { readFixture } from '../../testing/fixture.ts';
import { meshFigureSamples, twoPortsOfOneNumber } from '../../testing/mesh-figure-samples.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { openUnreadStream } from '../../xds/testing/unread-stream.ts';
import { type RawStream, ServingBench } from '../testing/serving-bench.ts';

describe('metrics of a meshd that serves a folder', () => {
  let bench: ServingBench;

  beforeEach(async () => {
    bench = await ServingBench.create();
  });
  afterEach(() => bench.close());

  const shows = (name: string, expected: number): Promise<void> =>
    eventually(async () => expect(Number(await bench.metric(name)), name).toBe(expected));
  const isAtLeast = (name: string, least: number): Promise<void> =>
    eventually(async () => expect(Number(await bench.metric(name)), name).toBeGreaterThanOrEqual(least));

  const connect = async (): Promise<RawStream> => {
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.call.on('error', () => undefined);
    return stream;
  };

  test('count the streams of proxies, what they are sent, and those that do not answer', async () => {
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.start({ staleMs: 400 });
    await shows('total_active_connections', 0);
    const stream = await connect();
    stream.call.removeAllListeners('data');
    stream.call.on('data', () => undefined);
    stream.subscribe('listeners');
    await shows('total_active_connections', 1);
    await shows('total_pushes', 1);
    await shows('total_stale_connections', 1);
    // It is given up then.
    await shows('total_active_connections', 0);
    await shows('total_stale_connections', 0);
    expect(stream.ends).toEqual(['UNAVAILABLE']);
  });

  test('count responses that were not sent before their stream ended', async () => {
    const services = Array.from({ length: 200 }, (_, i) => serviceOf(i));
    await bench.put('mesh.yaml', objects(namespace, httpbinPod(), ...services));
    await bench.start();
    await isAtLeast('meshd_compilations_count', 1);
    const { certificate: cert, privateKey: key } = await bench.identity('foo/httpbin');
    const servername = 'meshd.mesh-system.svc';
    const secure = { port: bench.control.port, ca: bench.root, cert, key, servername, ALPNProtocols: ['h2'] };
    const request = encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
      type_url: configurationTypes.clusters.typeUrl,
      node: { id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local' },
    });
    const method = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
    const stream = openUnreadStream(() => connectTls(secure), method, Buffer.from(request));
    await isAtLeast('total_pushes', 1);
    stream.session?.destroy();
    await isAtLeast('total_push_errors', 1);
  });

  test('count an object once when it begins to be rejected, by its kind and name', async () => {
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.start();
    const rejected = 'pilot_total_rejected_configs{type="authorizationpolicy",name="foo/p"}';
    await bench.put('deny.yaml', denyPath('/a').replace('DENY', 'DENI'));
    await shows(rejected, 1);
    await bench.put('more.yaml', denyPath('/b', 'q'));
    await isAtLeast('meshd_compilations_count', 2);
    await shows(rejected, 1);
  });

  test('show facts of the mesh, each with inputs that change it', async () => {
    const environment = { PILOT_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND: 'false' };
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.start({ compile: { settings: { environment }, debounce: { afterMs: 10, maxMs: 100 } } });
    for (const [gauge, fixture, expected] of meshFigureSamples) {
      const { files } = await readFixture('fixtures/ok', fixture);
      await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
      await shows(gauge, 0);
      await bench.put('mesh.yaml', files.map(({ text }) => text).join('\n---\n'));
      await shows(gauge, expected);
    }
    await bench.put('mesh.yaml', twoPortsOfOneNumber);
    await shows('pilot_duplicate_envoy_clusters', 1);
  });
});

function serviceOf(i: number): string {
  return `apiVersion: v1
kind: Service
metadata: {name: service-with-quite-a-long-name-${i}, namespace: foo}
spec: {clusterIP: 10.96.0.${i + 1}, ports: [{name: http, port: 80}, {name: http-more, port: 81}]}
`;
}
