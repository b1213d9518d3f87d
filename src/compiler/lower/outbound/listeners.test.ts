import { describe, expect, test } from 'vitest';
import { endpoint, meshService, ports, type ServiceFields } from '../../../testing/topology.ts';
import { bytes, destination, http, names, tls } from './testing/destination.ts';
import { outboundOf } from './testing/outbound-of.ts';

describe('listeners by protocol', () => {
  test('HTTP services of one port share the wildcard listener and its route table', () => {
    const outbound = outboundOf([meshService('a'), meshService('b', { addresses: ['10.0.0.2'] })]);
    expect(names(outbound)).toEqual(['0.0.0.0_8000']);
    expect(outbound.listeners[0]).toMatchObject({ bindToPort: false, direction: 'OUTBOUND', port: 8000 });
    expect(destination(outbound, '0.0.0.0_8000', http)).toBe('http 8000');
  });

  test.each([
    ['ALLOW_ANY', 'PassthroughCluster'],
    ['REGISTRY_ONLY', 'BlackHoleCluster'],
  ] as const)('under %s, what is not HTTP on an HTTP port goes to %s', (outboundTrafficPolicy, cluster) => {
    const outbound = outboundOf([meshService('a')], { settings: { outboundTrafficPolicy } });
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe(cluster);
    expect(destination(outbound, '0.0.0.0_8000', tls('x.example'))).toBe(cluster);
    expect(destination(outbound, 'virtualOutbound', { port: 443 })).toBe(cluster);
  });

  test('virtualOutbound hands on to the listener of the original destination, and its own port nowhere', () => {
    const outbound = outboundOf([]);
    expect(outbound.listeners).toMatchObject([{ useOriginalDst: true, bindToPort: true, port: 15001 }]);
    expect(destination(outbound, 'virtualOutbound', { port: 15001 })).toBe('BlackHoleCluster');
  });

  test('a TCP service has a listener at each of its addresses that the proxy can reach', () => {
    const service = meshService('db', { ports: ports('5432/tcp'), addresses: ['10.0.0.1', 'fd00::1'] });
    expect(names(outboundOf([service]))).toEqual(['10.0.0.1_5432']);
    const dual = outboundOf([service], { scope: { families: ['ipv4', 'ipv6'] } });
    expect(names(dual)).toEqual(['10.0.0.1_5432', '[fd00::1]_5432']);
    expect(destination(dual, '[fd00::1]_5432', bytes)).toBe('outbound|5432||db.default.svc.cluster.local');
    expect(dual.listeners[0]?.listenerFilters.tlsInspector).toBeUndefined();
  });

  test('a port with detection has a chain for HTTP and one for TCP, and TLS of the application uses that for TCP', () => {
    const outbound = outboundOf([meshService('a', { ports: ports('8000/auto') })]);
    const cluster = 'outbound|8000||a.default.svc.cluster.local';
    expect(destination(outbound, '10.0.0.1_8000', http)).toBe('http a.default.svc.cluster.local:8000');
    expect(destination(outbound, '10.0.0.1_8000', bytes)).toBe(cluster);
    expect(destination(outbound, '10.0.0.1_8000', tls())).toBe(cluster);
    expect(outbound.routes[0]?.virtualHosts).toMatchObject([{ domains: ['*'], routes: [{ action: { cluster } }] }]);
    expect(outbound.listeners[0]?.listenerFilters).toMatchObject({ timeoutMs: 5000, continueOnTimeout: true });
  });

  test('a detected port is bytes when detection is off, and an HTTP port is HTTP only', () => {
    const services = [meshService('a', { ports: ports('8000/auto') }), meshService('b')];
    const outbound = outboundOf(services, { settings: { sniffOutbound: false } });
    expect(destination(outbound, '10.0.0.1_8000', http)).toBe('outbound|8000||a.default.svc.cluster.local');
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe('http 8000');
    expect(outbound.listeners.every(({ listenerFilters }) => listenerFilters.httpInspector === undefined)).toBe(true);
  });

  test('TLS without an address is distinguished by server name, other connections are passed through', () => {
    const entry = (host: string) =>
      meshService(`default/${host}`, {
        kind: 'ServiceEntry',
        addresses: [],
        resolution: 'dns',
        ports: ports('443/tls'),
      });
    const outbound = outboundOf([entry('a.example'), entry('b.example')]);
    expect(destination(outbound, '0.0.0.0_443', tls('b.example'))).toBe('outbound|443||b.example');
    expect(destination(outbound, '0.0.0.0_443', tls('c.example'))).toBe('PassthroughCluster');
    expect(destination(outbound, '0.0.0.0_443', bytes)).toBe('PassthroughCluster');
  });

  test('a block of addresses is matched on the wildcard', () => {
    const entry = meshService('default/db.example', {
      kind: 'ServiceEntry',
      addresses: ['10.9.0.0/16'],
      ports: ports('5432/tcp'),
    });
    const outbound = outboundOf([entry]);
    expect(destination(outbound, '0.0.0.0_5432', { address: '10.9.3.4' })).toBe('outbound|5432||db.example');
    expect(destination(outbound, '0.0.0.0_5432', { address: '10.8.3.4' })).toBe('PassthroughCluster');
  });

  test.each(['before', 'after'])(
    'a block leaves requests to the services inside it, itself the older or not: %s',
    (order) => {
      const block = meshService('evil/any.example', {
        kind: 'ServiceEntry',
        addresses: ['10.0.0.0/8'],
        ports: ports('8000/tcp'),
      });
      const pods = [endpoint('10.1.0.7')];
      const headless = { isHeadless: true, resolution: 'passthrough', addresses: [], endpoints: pods } as const;
      const services = [meshService('a', { addresses: ['10.0.0.1', '172.16.0.1'] }), meshService('h', headless)];
      const outbound = outboundOf(order === 'before' ? [block, ...services] : [...services, block]);
      const at = (address: string, connection = http) =>
        destination(outbound, '0.0.0.0_8000', { ...connection, address });
      expect(at('10.0.0.1')).toBe('http 8000');
      expect(at('10.1.0.7')).toBe('http 8000');
      expect(at('10.0.0.1', bytes)).toBe('PassthroughCluster');
      expect(at('10.9.0.1')).toBe('outbound|8000||any.example');
      expect(at('172.16.0.1')).toBe('http 8000');
    },
  );

  test('an entry that has lost all its addresses takes no bytes of the whole port', () => {
    const fields = { kind: 'ServiceEntry', addresses: [], lostAddresses: ['10.0.0.1'] } as const;
    const lost = meshService('evil/db.example', { ...fields, ports: ports('5432/tcp') });
    expect(names(outboundOf([lost]))).toEqual([]);
  });

  test('datagrams have neither listener nor cluster', () => {
    const outbound = outboundOf([meshService('dns', { ports: ports('53/udp') })]);
    expect(names(outbound)).toEqual([]);
    expect(outbound.clusters.map(({ name }) => name)).toEqual(['BlackHoleCluster', 'PassthroughCluster']);
  });
});

describe('headless services', () => {
  const pods = [endpoint('10.1.0.1'), endpoint('10.1.0.2')];
  const headless = (protocol: string, fields: ServiceFields = {}) =>
    meshService('h', {
      isHeadless: true,
      resolution: 'passthrough',
      addresses: [],
      ports: ports(`8000/${protocol}`),
      endpoints: pods,
      ...fields,
    });

  test('TCP has a listener a pod, which that pod leaves out', () => {
    const outbound = outboundOf([headless('tcp')]);
    expect(names(outbound)).toEqual(['10.1.0.1_8000', '10.1.0.2_8000']);
    expect(outbound.listeners[0]?.notForAddresses).toEqual(['10.1.0.1']);
  });

  test('a detected port has a listener a pod and one route table', () => {
    const outbound = outboundOf([headless('auto')]);
    expect(names(outbound)).toEqual(['10.1.0.1_8000', '10.1.0.2_8000']);
    expect(outbound.routes.map(({ name }) => name)).toEqual(['h.default.svc.cluster.local:8000']);
  });

  test('HTTP is on the shared listener, by its names and those of its pods', () => {
    const outbound = outboundOf([headless('http')]);
    expect(names(outbound)).toEqual(['0.0.0.0_8000']);
    expect(outbound.routes[0]?.virtualHosts[0]?.domains).toEqual([
      'h.default.svc.cluster.local',
      '*.h.default.svc.cluster.local',
      'h',
      '*.h',
      'h.default',
      '*.h.default',
      'h.default.svc',
      '*.h.default.svc',
    ]);
  });

  test('TCP is on the wildcard when listeners a pod are switched off, and nowhere without pods', () => {
    const settings = { headlessPodListeners: false };
    expect(names(outboundOf([headless('tcp')], { settings }))).toEqual(['0.0.0.0_8000']);
    expect(names(outboundOf([headless('tcp', { endpoints: [] })]))).toEqual([]);
  });
});

describe('two services on one listener', () => {
  const noVip = (name: string, protocol: string) =>
    meshService(name, { kind: 'ServiceEntry', addresses: [], ports: ports(`8000/${protocol}`) });
  const old = 'outbound|8000||old';

  test.each([
    // [older, younger, sniffing, requests go to, bytes go to, gauge]
    ['tcp', 'http', true, 'http 8000', old, undefined],
    ['http', 'tcp', true, 'http 8000', 'outbound|8000||young', undefined],
    ['auto', 'http', true, 'http 8000', old, undefined],
    ['tcp', 'http', false, old, old, 'http_over_current_tcp'],
    ['http', 'tcp', false, 'http 8000', 'http 8000', 'tcp_over_current_http'],
    ['tcp', 'tcp', true, old, old, 'tcp_over_current_tcp'],
    ['mysql', 'http', true, old, old, 'http_over_current_tcp'],
    ['http', 'mongo', true, 'http 8000', 'PassthroughCluster', 'tcp_over_current_http'],
  ])('%s before %s (detection %s)', (older, younger, sniffOutbound, requests, others, gauge) => {
    const outbound = outboundOf([noVip('d/old', older), noVip('d/young', younger)], { settings: { sniffOutbound } });
    expect(destination(outbound, '0.0.0.0_8000', http)).toBe(requests);
    expect(destination(outbound, '0.0.0.0_8000', bytes)).toBe(others);
    const clash = { metric: `pilot_conflict_outbound_listener_${gauge}`, key: '0.0.0.0:8000' };
    const counted = outbound.conflicts?.filter(({ metric }) => metric.startsWith('pilot_conflict'));
    expect(counted).toEqual(gauge === undefined ? [] : [clash]);
    expect(outbound.codes).toEqual(gauge === undefined ? [] : ['conflicting-outbound-listener']);
  });
});
