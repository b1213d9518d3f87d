import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import * as make from '../../testing/objects.ts';
import { app, container, resolve, web, webPod, webWithout } from './testing/resolved.ts';

describe('endpoints', () => {
  test('leaves out and counts what is not ready, unless the service publishes it; the listener is there all the same', () => {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    const unready = make.pod({ name: 'shop/web-3', labels: app }, '10.0.0.3', { containers: [container] }, status);
    const { services, counts, workloads } = resolve([web, unready]);
    expect(services[0]?.endpoints).toEqual([]);
    expect(counts.endpointsNotReady).toBe(1);
    expect(workloads[0]?.targets).toHaveLength(1);
    const publishing = { ...web, spec: { ...web.spec, publishNotReadyAddresses: true } };
    expect(resolve([publishing, unready]).services[0]?.endpoints).toHaveLength(1);
  });

  test('prefers Endpoints to the selector, and matches ports by name', () => {
    const recorded = make.endpoints('shop/web', [
      {
        addresses: [{ ip: '10.0.0.1' }, { ip: '10.9.9.9' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [
          { name: 'http', port: 9000 },
          { name: 'other', port: 9001 },
        ],
      },
    ]);
    const { services, counts } = resolve([web, webPod, webWithout, recorded]);
    expect(services[0]?.endpoints).toMatchObject([
      { address: '10.0.0.1', port: 9000, hasSidecar: true },
      { address: '10.9.9.9', port: 9000, hasSidecar: false, identity: undefined, labels: {} },
    ]);
    expect(counts).toMatchObject({ endpointsWithoutPod: 1, endpointsNotReady: 1 });
  });

  describe('of pods that records and pods tell differently about', () => {
    const podOf = (name: string, address: string, account: string) =>
      make.pod({ name: `shop/${name}`, labels: app }, address, {
        containers: [container],
        serviceAccountName: account,
      });
    const recorded = (...addresses: readonly { readonly ip: string; readonly pod?: string }[]) =>
      make.endpoints('shop/web', [
        {
          addresses: addresses.map(({ ip, pod }) => ({ ip, ...(pod && { targetRef: { kind: 'Pod', name: pod } }) })),
          ports: [{ name: 'http', port: 8080 }],
        },
      ]);
    const found = (...objects: Parameters<typeof resolve>[0]) => {
      const { services, counts, diagnostics } = resolve([web, ...objects]);
      const endpoints = services[0]?.endpoints.map(
        ({ address, identity = '' }) => `${address} ${identity.split('/').at(-1)}`,
      );
      return { endpoints, without: counts.endpointsWithoutPod, told: diagnostics.map(([code]) => code) };
    };
    const doubtful = { endpoints: [], without: 1, told: ['doubtful-endpoint'] };

    test('leaves out an endpoint whose pod is not known, before the pod comes and after it has gone', () => {
      expect(found(recorded({ ip: '10.0.0.1', pod: 'old' }))).toEqual(doubtful);
      const pod = podOf('old', '10.0.0.1', 'old');
      expect(found(pod, recorded({ ip: '10.0.0.1', pod: 'old' })).endpoints).toEqual(['10.0.0.1 old']);
    });

    test('gives no endpoint of a pod that is gone under the account of the pod that has its address now', () => {
      expect(found(podOf('new', '10.0.0.1', 'new'), recorded({ ip: '10.0.0.1', pod: 'old' }))).toEqual(doubtful);
    });

    test('gives no address under the account of the pod that had it, once that pod has another', () => {
      const objects = [podOf('old', '10.0.0.2', 'old'), podOf('new', '10.0.0.1', 'new')];
      expect(found(...objects, recorded({ ip: '10.0.0.1', pod: 'old' }))).toEqual(doubtful);
    });

    test('believes the record of a pod whose address is not known yet, or of a further network', () => {
      const unknown = make.pod({ name: 'shop/a', labels: app }, undefined, { containers: [container] });
      for (const pod of [unknown, podOf('a', '10.0.0.2', 'default')])
        expect(found(pod, recorded({ ip: '192.168.7.7', pod: 'a' })).endpoints).toEqual(['192.168.7.7 default']);
    });

    test('leaves out an address that two pods have, unless it makes no difference which', () => {
      const both = (account: string) => [podOf('a', '10.0.0.1', 'a'), podOf('b', '10.0.0.1', account)];
      expect(found(...both('b'), recorded({ ip: '10.0.0.1' }))).toEqual(doubtful);
      expect(found(...both('a'), recorded({ ip: '10.0.0.1' })).endpoints).toEqual(['10.0.0.1 a']);
    });

    test('says nothing of an endpoint in doubt that is not ready', () => {
      const unready = { notReadyAddresses: [{ ip: '10.0.0.1', targetRef: { kind: 'Pod', name: 'old' } }] };
      const record = make.endpoints('shop/web', [{ ...unready, ports: [{ name: 'http', port: 8080 }] }]);
      const { told, ...rest } = found(record);
      expect(rest).toEqual({ endpoints: [], without: 0 });
      expect(told).not.toContain('doubtful-endpoint');
    });
  });

  const slice = (name: string, ip: string, ready?: boolean) =>
    make.endpointSlice(
      { name: `shop/${name}`, labels: { 'kubernetes.io/service-name': 'web' } },
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: [ip], ...(ready === undefined ? {} : { conditions: { ready } }), zone: 'z1' }],
        ports: [{ name: 'http', port: 8080 }],
      },
    );
  const endpointsOf = (ip: string, annotations = {}) =>
    make.endpoints({ name: 'shop/web', annotations }, [{ addresses: [{ ip }], ports: [{ name: 'http', port: 8080 }] }]);
  const addressesOf = (...[objects, settings]: Parameters<typeof resolve>) =>
    resolve(objects, settings).services[0]?.endpoints.map(({ address }) => address);

  test.each([false, true])('reads EndpointSlices of a service that has no Endpoints, whatever is set (%s)', (it) => {
    const objects = [web, webPod, slice('a', '10.0.0.7'), slice('b', '10.0.0.8', false), slice('c', '10.0.0.6', true)];
    const { services, counts } = resolve(objects, { useEndpointSlice: it });
    expect(services[0]?.endpoints.map(({ address, locality }) => [address, locality])).toEqual([
      ['10.0.0.6', '/z1'],
      ['10.0.0.7', '/z1'],
    ]);
    expect(counts.endpointsNotReady).toBe(1);
  });

  test('finds the identity and the sidecar of a pod that only a slice names, where the service has no selector', () => {
    const { selector, ...spec } = web.spec;
    const { services, workloads } = resolve([make.service('shop/web', spec), webPod, slice('a', '10.0.0.1')]);
    const identity = 'spiffe://cluster.local/ns/shop/sa/web';
    expect(services[0]?.endpoints).toMatchObject([{ address: '10.0.0.1', port: 8080, identity, hasSidecar: true }]);
    expect(workloads[0]?.targets).toMatchObject([{ targetPort: 8080, port: { protocol: 'http' } }]);
  });

  test.each([
    [false, '10.0.0.1'],
    [true, '10.0.0.7'],
  ])('of Endpoints and EndpointSlices, useEndpointSlice %s takes those with %s', (useEndpointSlice, expected) => {
    expect(addressesOf([web, endpointsOf('10.0.0.1'), slice('a', '10.0.0.7')], { useEndpointSlice })).toEqual([
      expected,
    ]);
    expect(addressesOf([web, endpointsOf('10.0.0.1')], { useEndpointSlice })).toEqual(['10.0.0.1']);
  });

  test('prefers slices to Endpoints that the cluster cut off, and warns of such Endpoints without slices', () => {
    const cut = endpointsOf('10.0.0.1', { 'endpoints.kubernetes.io/over-capacity': 'truncated' });
    expect(addressesOf([web, cut, slice('a', '10.0.0.7')])).toEqual(['10.0.0.7']);
    const { services, diagnostics } = resolve([web, cut]);
    expect(services[0]?.endpoints).toMatchObject([{ address: '10.0.0.1' }]);
    expect(diagnostics).toEqual([
      ['truncated-endpoints', 'Endpoints/shop/web#metadata.annotations.endpoints.kubernetes.io/over-capacity'],
    ]);
  });

  test('a slice of host names is warned of and counts as none', () => {
    const names = { ...slice('a', 'web.example.com'), addressType: 'FQDN' as const };
    const { services, diagnostics } = resolve([web, webPod, names]);
    expect(services[0]?.endpoints).toMatchObject([{ address: '10.0.0.1' }]);
    expect(diagnostics).toEqual([['unread-endpoint-slice', 'EndpointSlice/shop/a#addressType']]);
  });

  test('never finds a pod on the node network by its address', () => {
    const host = make.pod({ name: 'shop/agent', labels: app }, '192.168.0.1', { hostNetwork: true });
    const recorded = make.endpoints('shop/web', [
      { addresses: [{ ip: '192.168.0.1' }], ports: [{ name: 'http', port: 1 }] },
    ]);
    expect(resolve([web, host, recorded]).services[0]?.endpoints[0]?.workload).toBeUndefined();
  });

  describe('of endpoints that lead a proxy to itself', () => {
    const at = (address: string, port: number) => ({ address, ports: { http: port } });
    const entry = (name: string, resolution: 'STATIC' | 'DNS', list: readonly { address: string }[]) =>
      make.serviceEntry(`shop/${name}`, {
        hosts: [`${name}.com`],
        ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
        resolution,
        endpoints: [...list, at('10.4.0.1', 8080)],
      });
    const local = ['127.0.0.1', '127.8.0.2', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', '169.254.1.2', 'fe80::1'];
    const kept = ({ services }: ReturnType<typeof resolve>) =>
      services.map(({ endpoints }) => endpoints.map(({ address, port }) => `${address} ${port}`));
    const told = ({ diagnostics }: ReturnType<typeof resolve>) => [...new Set(diagnostics.map(([code]) => code))];

    test.each([15000, 15001, 15006, 15020, 15090])('leaves out port %i, whatever the host', (port) => {
      const resolved = resolve([
        entry('fixed', 'STATIC', [at('10.4.0.2', port)]),
        entry('named', 'DNS', [at('localhost.example', port), at('10.4.0.2', port)]),
        make.service('shop/out', { type: 'ExternalName', externalName: 'lo.example', ports: [{ name: 'http', port }] }),
        make.serviceEntry('shop/alone', {
          hosts: ['lo.example'],
          ports: [{ number: port, name: 'http', protocol: 'HTTP' }],
          resolution: 'DNS',
        }),
      ]);
      expect(kept(resolved).flat()).toEqual(['10.4.0.1 8080', '10.4.0.1 8080']);
      expect(told(resolved)).toEqual(['endpoint-of-proxy']);
    });

    test('leaves out the ports that this proxy is configured with, and no others', () => {
      const proxy = { ...defaultSettings.proxy, adminPort: 15100, statusPort: 15120 };
      const ports = [15000, 15020, 15021, 15100, 15120];
      const resolved = resolve(
        [
          entry(
            'moved',
            'STATIC',
            ports.map((port) => at('10.4.0.2', port)),
          ),
        ],
        { proxy },
      );
      expect(kept(resolved)).toEqual([['10.4.0.1 8080', '10.4.0.2 15000', '10.4.0.2 15020', '10.4.0.2 15021']]);
    });

    test.each([
      ['the token service', 15463, { tokenServicePort: 15463 }],
      ['DNS', 15053, { servesDns: true }],
      ['DNS', 15053, { proxyMetadata: { DNS_AGENT: 'true' } }],
    ])('leaves out names and loopback at the port of %s, and no address of another machine', (_, port, own) => {
      const list = ['lo.example', '127.0.0.1', '10.4.0.2'].map((it) => at(it, port));
      const objects = [entry('named', 'DNS', list)];
      const settings = { allowedLocalEndpoints: ['127.0.0.1'], proxy: { ...defaultSettings.proxy, ...own } };
      const resolved = resolve(objects, settings);
      expect(kept(resolved)).toEqual([['10.4.0.1 8080', `10.4.0.2 ${port}`]]);
      expect(told(resolved)).toEqual(['endpoint-of-proxy']);
      expect(kept(resolve(objects, { allowedLocalEndpoints: ['127.0.0.1'] }))[0]).toHaveLength(4);
      expect(kept(resolve(objects, { ...settings, allowedProxyPortHosts: ['named.com'] }))[0]).toHaveLength(4);
    });

    test.each(local)('leaves out %s on any port, wherever it stands', (address) => {
      const resolved = resolve([
        entry('fixed', 'STATIC', [at(address, 8080)]),
        entry('named', 'DNS', [at(address, 8080)]),
        make.workloadEntry('shop/vm', { address, labels: app }),
        make.serviceEntry('shop/selecting', {
          hosts: ['vm.com'],
          ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
          resolution: 'STATIC',
          workloadSelector: { labels: app },
        }),
        make.pod({ name: 'shop/pod', labels: { app: 'pod' } }, address),
        make.service('shop/pods', { selector: { app: 'pod' }, ports: [{ name: 'http', port: 80 }] }),
        make.service('shop/recorded', { ports: [{ name: 'http', port: 80 }] }),
        make.endpoints('shop/recorded', [{ addresses: [{ ip: address }], ports: [{ name: 'http', port: 80 }] }]),
      ]);
      expect(kept(resolved).flat()).toEqual(['10.4.0.1 8080', '10.4.0.1 8080']);
      expect(told(resolved)).toEqual(['local-endpoint']);
    });

    test('leaves out names of loopback', () => {
      const resolved = resolve([
        entry(
          'named',
          'DNS',
          ['localhost', 'x.localhost', 'localhost.'].map((it) => at(it, 1)),
        ),
      ]);
      expect(kept(resolved)).toEqual([['10.4.0.1 8080']]);
    });

    test('leaves out the socket of the private key, whatever its folder is called', () => {
      const sockets = ['unix:///etc/mesh/proxy/SDS', 'unix:///proc/self/cwd/etc/mesh/proxy/SDS', 'unix:///SDS'];
      const list = [...sockets, 'unix:///run/app/sds'].map((it) => at(it, 1));
      const resolved = resolve([entry('fixed', 'STATIC', list)], { allowedProxyPortHosts: ['fixed.com'] });
      expect(kept(resolved)).toEqual([['10.4.0.1 8080', 'unix:///run/app/sds 0']]);
    });

    test('keeps what the mesh configuration allows, but for the administration of the proxy itself', () => {
      const list = [...local, '10.4.0.2', 'localhost'].flatMap((it) => [at(it, 15000), at(it, 15020)]);
      const allowedLocalEndpoints = ['127.0.0.0/8', '::1', '0.0.0.0', '::/128', '169.254.1.2', 'fe80::/10'];
      const settings = { allowedLocalEndpoints, allowedProxyPortHosts: ['named.com'] };
      const [named = [], other = []] = kept(
        resolve([entry('named', 'DNS', list), entry('other', 'DNS', list)], settings),
      );
      expect(other).toEqual(['10.4.0.1 8080']);
      expect(named.filter((it) => it.endsWith(' 15020'))).toHaveLength(local.length + 2);
      expect(named.filter((it) => it.endsWith(' 15000')).sort()).toEqual([
        '10.4.0.2 15000',
        '169.254.1.2 15000',
        'fe80::1 15000',
      ]);
      const narrow = kept(
        resolve(
          [
            entry(
              'other',
              'DNS',
              local.map((it) => at(it, 80)),
            ),
          ],
          { allowedLocalEndpoints: ['127.0.0.0/29'] },
        ),
      );
      expect(narrow).toEqual([['10.4.0.1 8080', '127.0.0.1 80', '::ffff:7f00:1 80']]);
    });
  });

  test.each(['unix://../x', 'unix://x', 'unix://', `unix:///${'x'.repeat(107)}`, 'unix:///a\u0000b'])(
    'refuses the socket address %j, for which Envoy would refuse every cluster',
    (address) => {
      const spec = { hosts: ['a.com'], resolution: 'STATIC', endpoints: [{ address }] } as const;
      const ports = [{ number: 80, name: 'http', protocol: 'HTTP' }];
      const { services, diagnostics } = resolve([make.serviceEntry('x/a', { ...spec, ports })]);
      expect(services[0]?.endpoints).toEqual([]);
      expect(diagnostics).toEqual([['invalid-address', 'ServiceEntry/x/a#spec.endpoints.0.address']]);
    },
  );
});
