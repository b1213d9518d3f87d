import { describe, expect, test } from 'vitest';
import { inboundModes } from '../../../testing/topology.ts';
import { matchChain } from '../testing/match-chain.ts';
import { inboundOf } from './testing/inbound-of.ts';

describe('virtualInbound', () => {
  test('sends connections to its own port nowhere', () => {
    const [listener] = inboundOf().listeners;
    expect(matchChain(listener!, { port: 15006 })?.filter).toMatchObject({ kind: 'tcp', cluster: 'BlackHoleCluster' });
    expect(listener?.filterChains[0]?.name).toBe('virtualInbound-blackhole');
  });

  test.each(['STRICT', 'PERMISSIVE', 'DISABLE'] as const)(
    'gives every chain under %s a name and a match of its own',
    (mode) => {
      const servicePorts = ['80/http', '81/tcp', '82/auto', '83/https'];
      const [listener] = inboundOf({ modes: inboundModes(mode), servicePorts }).listeners;
      const chains = listener?.filterChains ?? [];
      expect(new Set(chains.map(({ name }) => name)).size).toBe(chains.length);
      expect(new Set(chains.map(({ match }) => JSON.stringify(match))).size).toBe(chains.length);
    },
  );

  test('switches each inspector off for the ports that do not need it', () => {
    const modes = inboundModes('PERMISSIVE', { 81: 'DISABLE', 83: 'DISABLE' });
    const [listener] = inboundOf({ modes, servicePorts: ['80/http', '81/tcp', '82/auto', '83/auto'] }).listeners;
    expect(listener?.listenerFilters).toMatchObject({
      originalDst: true,
      tlsInspector: { disabledPorts: [81, 83] },
      httpInspector: { disabledPorts: [80, 81] },
      timeoutMs: 1000,
      continueOnTimeout: true,
    });
  });

  test('has no inspector for TLS when nothing takes it', () => {
    const [listener] = inboundOf({ modes: inboundModes('DISABLE') }).listeners;
    expect(listener?.listenerFilters.tlsInspector).toBeUndefined();
  });

  test('passes by ports of datagrams', () => {
    const inbound = inboundOf({ servicePorts: ['53/udp'] });
    expect(inbound.clusters.map(({ name }) => name)).toEqual(['InboundPassthroughCluster']);
  });

  test.each([
    [['ipv4'], ['0.0.0.0'], ['127.0.0.6']],
    [['ipv6'], ['::'], ['::6']],
    [
      ['ipv4', 'ipv6'],
      ['0.0.0.0', '::'],
      ['127.0.0.6', '::6'],
    ],
    [
      ['ipv6', 'ipv4'],
      ['0.0.0.0', '::'],
      ['127.0.0.6', '::6'],
    ],
  ] as const)('listens and delivers on %s', (families, addresses, bind) => {
    const inbound = inboundOf({ workload: { families } });
    expect(inbound.listeners[0]?.addresses).toEqual(addresses);
    expect(inbound.clusters.map(({ bindAddresses }) => bindAddresses)).toEqual([bind, bind]);
  });
});

describe('destinations that only the host itself has', () => {
  const modesOf = inboundModes('PERMISSIVE', { 81: 'STRICT', 82: 'DISABLE' });
  const [listener] = inboundOf({ modes: modesOf, servicePorts: ['80/http', '81/tcp', '82/auto'] }).listeners;

  test.each([80, 81, 82, 9999])('are closed on port %s, whatever the client speaks', (port) => {
    for (const address of ['127.0.0.1', '0.0.0.0']) {
      for (const client of [{}, { alpn: ['http/1.1'] }, { isTls: true, alpn: ['mesh'] }]) {
        const chain = matchChain(listener!, { ...client, port, address });
        expect(chain).toMatchObject({ tls: undefined, filter: { kind: 'tcp', cluster: 'BlackHoleCluster' } });
        expect(chain?.name).toMatch(/-host-only$/);
      }
    }
    expect(matchChain(listener!, { port, isTls: true, alpn: ['mesh'], address: '10.1.0.9' })?.name).not.toMatch(
      /only$/,
    );
  });

  test.each([
    [['ipv4'], ['0.0.0.0/8', '127.0.0.0/8', '224.0.0.0/4', '255.255.255.255/32']],
    [['ipv6'], ['::/128', '::1/128', '::ffff:0.0.0.0/96', 'ff00::/8', '::6/128']],
  ] as const)('are those of the families of the pod: %s', (families, prefixes) => {
    const [only] = inboundOf({ workload: { families }, servicePorts: ['80/http'] }).listeners;
    const chains = only?.filterChains.filter(({ name }) => name.endsWith('-host-only')) ?? [];
    expect(chains.map(({ match }) => [match.destinationPort, match.destinationPrefixes])).toEqual([
      [80, prefixes],
      [undefined, prefixes],
    ]);
  });
});

describe('ports of the proxy itself', () => {
  test.each([15000, 15001, 15006])('%i gets no chain and no cluster, whatever a service says', (port) => {
    const { listeners, clusters } = inboundOf({
      servicePorts: [`${port}/http`],
      settings: { inboundDelivery: 'LOCALHOST' },
    });
    expect(clusters.map(({ name }) => name)).toEqual(['InboundPassthroughCluster']);
    const chains = listeners[0]?.filterChains.filter(({ match }) => match.destinationPort === port);
    expect(chains?.map(({ name }) => name)).toEqual(port === 15006 ? ['virtualInbound-blackhole'] : []);
  });
});
