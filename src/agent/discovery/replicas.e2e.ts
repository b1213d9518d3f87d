import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath } from '../../cli/agent/testing/sample-mesh.ts';
import type { ServingBench } from '../../control/testing/serving-bench.ts';
import { CountingRelay } from '../../testing/counting-relay.ts';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveryBench } from '../testing/discovery-bench.ts';

/** Enough for the names and versions of all to be seen among the bytes of TLS; without mutual TLS, which needs secrets. */
const services = Array.from(
  { length: 60 },
  (_, i) => `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: service-${i}, namespace: foo}
spec:
  hosts: [service-${i}.example.com]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.2.1.${i}}]
`,
);

describe('an agent whose connection goes to another replica', () => {
  let bench: DiscoveryBench;
  let relay: CountingRelay;
  let replica: ServingBench;
  /** Of the first connection, on which everything came. */
  let down: number;

  beforeEach(async () => {
    bench = await DiscoveryBench.start(...services);
    relay = await CountingRelay.start();
    relay.leadTo(bench.meshd.control.port);
    await bench.settle({ address: `127.0.0.1:${relay.port}` }, 60_000);
    await untilSteps(1);
    down = relay.counted.down;
    replica = await bench.startReplica();
    await eventually(async () => expect(await replica.metric('meshd_compilations_count')).toBe('1'));
  });
  afterEach(async () => {
    // What was not started, or not yet, leaves no Envoy behind.
    await bench?.close();
    await replica?.close();
    await relay?.close();
  });

  const untilSteps = (count: number): Promise<void> =>
    eventually(() => expect(bench.logged().match(/all is in step/g)).toHaveLength(count));
  const pushes = async (...types: readonly string[]) =>
    Promise.all(types.map((type) => replica.metric(`meshd_xds_pushes_count{type="${type}"}`)));

  test('sends four digests, gets no configuration, and then each change', async () => {
    relay.leadTo(replica.control.port);
    await untilSteps(2);
    expect(await pushes('Cluster', 'Listener', 'RouteConfiguration')).toEqual([undefined, undefined, undefined]);
    // The word about a name that nothing has: that all is in step.
    expect(await pushes('ResourceSet', 'ClusterLoadAssignment')).toEqual(['1', '1']);
    // Of it 3.5 KB are of the TLS handshake, which shows a certificate in both directions.
    expect(relay.counted.up).toBeLessThan(5_000);
    expect(relay.counted.down).toBeLessThan(5_000);
    expect(down).toBeGreaterThan(30_000);
    await bench.meshd.put('deny.yaml', denyPath('/secret'));
    await bench.untilEnvoyHas('/secret');
    expect(await pushes('Cluster', 'Listener', 'RouteConfiguration')).toEqual([undefined, '1', undefined]);
    expect(await replica.metric('meshd_xds_rejects_count.*')).toBeUndefined();
  });

  test('sends names and versions of the sets that have changed meanwhile, and gets what differs', async () => {
    // Nothing listens there.
    relay.leadTo(1);
    await bench.meshd.put('deny.yaml', denyPath('/secret'));
    await eventually(async () => expect(await replica.metric('meshd_compilations_count')).toBe('2'));
    relay.leadTo(replica.control.port);
    await bench.untilEnvoyHas('/secret');
    await untilSteps(2);
    expect(await pushes('Cluster', 'Listener', 'RouteConfiguration')).toEqual([undefined, '1', undefined]);
    expect(relay.counted.down).toBeLessThan(down / 2);
  });
});
