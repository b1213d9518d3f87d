import { describe, expect, test } from 'vitest';
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

    test('finds the pod of another namespace at an address that a WorkloadEntry of a third one claims', () => {
      const pod = make.pod({ name: 'victim/db', labels: app }, '10.0.0.1', {
        containers: [container],
        serviceAccountName: 'db',
      });
      const claims = (name: string, account: string) =>
        make.workloadEntry(name, { address: '10.0.0.1', labels: {}, serviceAccount: account });
      const record = recorded({ ip: '10.0.0.1' });
      expect(found(pod, claims('a-evil/claim', 'evil'), record).endpoints).toEqual(['10.0.0.1 db']);
      // Nobody vouches for either of two entries.
      expect(found(claims('a-evil/claim', 'evil'), claims('victim/vm', 'vm'), record).endpoints).toEqual([]);
      expect(found(claims('shop/claim', 'own'), pod, record).endpoints).toEqual(['10.0.0.1 own']);
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
