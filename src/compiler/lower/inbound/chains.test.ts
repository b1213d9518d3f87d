import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../config/settings.ts';
import { inboundModes } from '../../../testing/topology.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import { type Connection, matchChain } from '../testing/match-chain.ts';
import { inboundOf } from './testing/inbound-of.ts';

const clients: Readonly<Record<string, Connection>> = {
  'plain http': { alpn: ['http/1.1'] },
  'plain h2c': { alpn: ['h2c'] },
  'plain bytes': {},
  'mesh http': { isTls: true, alpn: ['mesh-http/1.1', 'mesh'] },
  'mesh h2': { isTls: true, alpn: ['mesh-h2', 'mesh', 'h2'] },
  'mesh bytes': { isTls: true, alpn: ['mesh'] },
  'own tls': { isTls: true, alpn: ['h2', 'http/1.1'] },
};

function outcomes(inbound: InboundIR, port: number): Readonly<Record<string, string>> {
  const [listener] = inbound.listeners;
  const entries = Object.entries(clients).map(([client, connection]) => {
    const chain = matchChain(listener!, { ...connection, port });
    if (chain === undefined) return [client, 'reset'];
    return [client, `${chain.tls === undefined ? 'plain' : 'mtls'} ${chain.filter.kind}`];
  });
  return Object.fromEntries(entries);
}

const row = (...cells: readonly string[]) =>
  Object.fromEntries(Object.keys(clients).map((client, i) => [client, cells[i] ?? '']));

describe('chains of a port', () => {
  const table: readonly [string, string, Readonly<Record<string, string>>][] = [
    ['STRICT', 'http', row('reset', 'reset', 'reset', 'mtls http', 'mtls http', 'mtls http', 'mtls http')],
    ['STRICT', 'tcp', row('reset', 'reset', 'reset', 'mtls tcp', 'mtls tcp', 'mtls tcp', 'mtls tcp')],
    ['STRICT', 'auto', row('reset', 'reset', 'reset', 'mtls http', 'mtls http', 'mtls tcp', 'mtls tcp')],
    [
      'PERMISSIVE',
      'http',
      row('plain http', 'plain http', 'plain http', 'mtls http', 'mtls http', 'mtls http', 'reset'),
    ],
    ['PERMISSIVE', 'tcp', row('plain tcp', 'plain tcp', 'plain tcp', 'mtls tcp', 'mtls tcp', 'mtls tcp', 'plain tcp')],
    [
      'PERMISSIVE',
      'auto',
      row('plain http', 'plain http', 'plain tcp', 'mtls http', 'mtls http', 'mtls tcp', 'plain tcp'),
    ],
    // Without an inspector TLS is bytes like others.
    [
      'DISABLE',
      'http',
      row('plain http', 'plain http', 'plain http', 'plain http', 'plain http', 'plain http', 'plain http'),
    ],
    ['DISABLE', 'tcp', row('plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp')],
    [
      'DISABLE',
      'auto',
      row('plain http', 'plain http', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp', 'plain tcp'),
    ],
  ];
  test.each(table)('%s treats the clients of a port of class %s by the matrix', (mode, protocol, expected) => {
    const inbound = inboundOf({
      modes: inboundModes(mode as 'STRICT'),
      servicePorts: [`8000/${protocol}`],
    });
    expect(outcomes(inbound, 8000)).toEqual(expected);
  });

  test.each(table.filter(([, protocol]) => protocol === 'auto'))(
    '%s holds for ports that no service declares',
    (mode, _, expected) => {
      const inbound = inboundOf({ modes: inboundModes(mode as 'STRICT') });
      expect(outcomes(inbound, 9999)).toEqual(expected);
    },
  );

  test('takes the mode of the container port where one is set, and passes own TLS of a DISABLE workload on beside it', () => {
    const inbound = inboundOf({
      modes: inboundModes('DISABLE', { 8090: 'STRICT' }),
      servicePorts: ['8090/http', '8091/auto'],
    });
    expect(outcomes(inbound, 8090)).toMatchObject({ 'plain http': 'reset', 'mesh http': 'mtls http' });
    expect(outcomes(inbound, 8091)).toMatchObject({ 'plain http': 'plain http', 'own tls': 'plain tcp' });
    expect(outcomes(inbound, 9999)).toMatchObject({ 'plain http': 'plain http', 'own tls': 'plain tcp' });
  });

  test('treats detected ports as TCP when detection is off', () => {
    const inbound = inboundOf({ settings: { sniffInbound: false }, servicePorts: ['8000/auto'] });
    expect(outcomes(inbound, 8000)).toEqual(outcomes(inboundOf({ servicePorts: ['8000/tcp'] }), 8000));
    expect(outcomes(inbound, 9999)).toEqual(outcomes(inbound, 8000));
    expect(inbound.listeners[0]?.listenerFilters.httpInspector).toBeUndefined();
    expect(inbound.routes).toEqual([]);
  });

  test('names the field that decided the mode', () => {
    const [listener] = inboundOf({ modes: inboundModes('PERMISSIVE', { 8000: 'STRICT' }) }).listeners;
    const chain = matchChain(listener!, { port: 8000, isTls: true });
    const fields = chain?.origins.decidedBy.map(({ kind, field }) => `${kind} ${field.join('.')}`);
    expect(fields).toEqual(['PeerAuthentication spec.portLevelMtls.8000.mode', 'Service spec.ports.0']);
    expect(chain?.tls?.origins.decidedBy).toHaveLength(1);
  });
});

describe('mutual TLS of inbound chains', () => {
  const tlsOf = (settings: Partial<Settings>, protocol = 'http') => {
    const inbound = inboundOf({ settings, servicePorts: [`8000/${protocol}`] });
    const tls = matchChain(inbound.listeners[0]!, { port: 8000, isTls: true, alpn: ['mesh'] })?.tls;
    return tls?.kind === 'mesh' ? tls : undefined;
  };

  test('accepts identities of the trust domain and its aliases, each with the slash that ends the name', () => {
    const sans = tlsOf({ trustDomain: 'td', trustDomainAliases: ['old', 'td'] })?.peerSans;
    expect(sans).toEqual([
      { kind: 'prefix', value: 'spiffe://td/' },
      { kind: 'prefix', value: 'spiffe://old/' },
    ]);
  });

  test('accepts every identity of the root when the trust domain is not validated', () => {
    expect(tlsOf({ skipValidateTrustDomain: true })?.peerSans).toEqual([]);
  });

  test('offers HTTP versions where HTTP is spoken, nothing where bytes are', () => {
    expect([tlsOf({})?.alpn, tlsOf({}, 'tcp')?.alpn]).toEqual([['h2', 'http/1.1'], []]);
  });
});
