import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConsulFiles } from '../../../consul/consul-address.ts';
import { ConsulServer } from '../../../testing/consul/consul-server.ts';
import { eventually } from '../../../testing/eventually.ts';
import { ServingBench } from '../../testing/serving-bench.ts';

const mesh = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: client, namespace: shop}
spec: {address: 10.1.9.9, serviceAccount: client, labels: {security.mesh.io/tlsMode: mesh}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: web, namespace: default}
spec: {template: {serviceAccount: web-account, labels: {security.mesh.io/tlsMode: mesh}}}
`;

describe.each(['1.8.7', '1.19.2'] as const)('services of Consul %s', (release) => {
  let consul: ConsulServer;
  let bench: ServingBench;

  beforeEach(async () => {
    consul = await ConsulServer.start({ release });
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', mesh);
    await consul.ready();
  });
  afterEach(async () => {
    await bench?.close();
    await consul?.close();
  });

  async function serve(
    catalogs: readonly (readonly [id: string, origin: string])[] = [['consul', consul.origin]],
    files: ConsulFiles = {},
  ): Promise<void> {
    const services = { catalogs: catalogs.map(([id, origin]) => ({ id, origin, allowsStale: false, files })) };
    await bench.start({ compile: { source: { type: 'folder', folder: bench.path('config'), services } } });
  }

  interface Served {
    readonly endpoints: readonly string[];
    readonly accounts: readonly string[];
    readonly cluster: string;
  }

  /** What the client is served of a port of `web`: `mesh` after an endpoint where it speaks mutual TLS. */
  async function served(port = 80): Promise<Served> {
    const name = `outbound|${port}||web.service.consul`;
    const dump = JSON.parse(await bench.debug('/debug/config_dump?proxy=shop/client')) as Readonly<
      Record<string, unknown>
    >;
    const [cluster = '', assignment = ''] = ['clusters', 'endpoints'].map((list) => {
      const resources = (dump[list] ?? []) as readonly { readonly name: string }[];
      return JSON.stringify(resources.filter((resource) => resource.name === name));
    });
    const endpoint = /"address":"([\d.]+)","port_value":\d+\}\}\}(,"metadata":\S*?"tlsMode":"(\w+)")?/g;
    return {
      endpoints: [...assignment.matchAll(endpoint)].map(([, address, , mode = 'plain']) => `${address} ${mode}`).sort(),
      accounts: [...cluster.matchAll(/spiffe:[^"\\]+/g)].map(([identity]) => identity),
      cluster,
    };
  }
  const untilServed = (endpoints: readonly string[], port?: number): Promise<void> =>
    eventually(async () => expect((await served(port)).endpoints).toEqual(endpoints), { interval: 100 });

  test('are served with the account of our WorkloadGroup, whatever an instance says of itself', async () => {
    const meta = { protocol: 'http', serviceAccount: 'admin', subjectAltNames: 'spiffe://x/ns/y/sa/z' };
    await consul.register('web', 'web-1', { meta, tags: ['security.mesh.io/tlsMode|disabled', 'version|v1'] });
    await serve();
    await untilServed(['10.1.0.1 mesh']);
    const { accounts } = await served();
    expect(accounts).toEqual(['spiffe://cluster.local/ns/default/sa/web-account']);
    await consul.register('web', 'web-2', { meta: { protocol: 'http' }, address: '10.1.0.2' });
    await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh']);
    await consul.deregister('web-1');
    await untilServed(['10.1.0.2 mesh']);
  });

  test('lose endpoints whose checks fail, and no cluster is made anew by that', async () => {
    await consul.register('web', 'web-1');
    await consul.register('web', 'web-2', { address: '10.1.0.2' });
    await serve();
    await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh']);
    const { cluster } = await served();
    await consul.register('web', 'web-2', { address: '10.1.0.2', status: 'critical' });
    await untilServed(['10.1.0.1 mesh']);
    await consul.register('web', 'web-2', { address: '10.1.0.2', status: 'warning' });
    await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh']);
    // Ten times a second.
    for (let i = 0; i < 30; i++) {
      const status = i % 2 === 0 ? 'critical' : 'passing';
      await Promise.all([
        consul.register('web', 'web-2', { address: '10.1.0.2', status }),
        new Promise((resolve) => setTimeout(resolve, 100)),
      ]);
    }
    await consul.register('web', 'web-1', { status: 'critical' });
    await untilServed(['10.1.0.2 mesh']);
    expect((await served()).cluster).toBe(cluster);
  });

  test('stay while the server is away, and when it comes back without its state; what it then has counts', async () => {
    await consul.register('web', 'web-1');
    await consul.register('web', 'web-2', { address: '10.1.0.2' });
    await serve();
    await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh']);
    await consul.kill();
    await eventually(() =>
      expect(bench.logged('warn')).toContain('the catalog "consul" of Consul is not followed now'),
    );
    expect((await served()).endpoints).toEqual(['10.1.0.1 mesh', '10.1.0.2 mesh']);
    await consul.again(true);
    await consul.ready();
    // Its index is small again; of its agents one has told it what it has, and this is new.
    await consul.register('web', 'web-3', { address: '10.1.0.3' });
    await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh', '10.1.0.3 mesh']);
  });

  test('stay while no leader is elected', async () => {
    const second = await ConsulServer.start({ release, servers: 2, datacenter: 'dc2' });
    const first = await ConsulServer.start({ release, servers: 2, datacenter: 'dc2', joins: second.memberPort });
    try {
      await first.ready();
      await first.register('web', 'web-1');
      await serve([['dc2', first.origin]]);
      await untilServed(['10.1.0.1 mesh']);
      await second.kill();
      // A question that waits for a change may hear of it late; a new one is refused.
      const ask = (): Promise<unknown> => first.call('GET', '/v1/catalog/services');
      await eventually(() => expect(ask()).rejects.toThrow('500'), { interval: 100 });
      expect((await served()).endpoints).toEqual(['10.1.0.1 mesh']);
      await second.again();
      const move = (): Promise<void> => first.register('web', 'web-1', { address: '10.1.0.7' });
      await eventually(move, { interval: 200 });
      await untilServed(['10.1.0.7 mesh']);
    } finally {
      await first.close();
      await second.close();
    }
  });

  test('of two catalogs are one service; one that is away takes nothing from the other', async () => {
    const other = await ConsulServer.start({ release, datacenter: 'dc2' });
    try {
      await other.ready();
      await consul.register('web', 'web-1');
      await other.register('web', 'web-2', { address: '10.1.0.2' });
      await serve([
        ['east', consul.origin],
        ['west', other.origin],
      ]);
      await untilServed(['10.1.0.1 mesh', '10.1.0.2 mesh']);
      await other.kill();
      await consul.register('web', 'web-1', { address: '10.1.0.4' });
      await untilServed(['10.1.0.2 mesh', '10.1.0.4 mesh']);
      await consul.deregister('web-1');
      await untilServed(['10.1.0.2 mesh']);
    } finally {
      await other.close();
    }
  });
});
