import { describe, expect, test } from 'vitest';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import { endpoint, ports, type ServiceFields } from '../../../testing/topology.ts';
import { clustersOf } from '../clusters/testing/clusters-of.ts';

function externalTlsOf(tls: TrafficBlocks['tls'], service: ServiceFields = {}) {
  const { transport } = clustersOf({ rule: { ...(tls && { tls }) }, service }).first;
  return transport.kind === 'tls' ? transport.tls : undefined;
}

describe('TLS to servers outside the mesh', () => {
  test('verifies against the system’s roots and the request’s host when the rule names nothing', () => {
    expect(externalTlsOf({ mode: 'SIMPLE' })).toEqual({
      kind: 'external',
      sni: undefined,
      autoSni: true,
      autoSanValidation: true,
      alpn: [],
      serverSans: [],
      clientCertificate: undefined,
      trustedCa: 'system',
      crl: undefined,
    });
  });

  test('takes what the rule names', () => {
    const tls = {
      mode: 'MUTUAL',
      clientCertificate: '/c',
      privateKey: '/k',
      caCertificates: '/ca',
      caCrl: '/crl',
      sni: 'a.example',
      subjectAltNames: ['b.example', 'a.example'],
    } as const;
    expect(externalTlsOf(tls, { ports: ports('8000/grpc') })).toMatchObject({
      sni: 'a.example',
      autoSni: false,
      autoSanValidation: false,
      alpn: ['h2'],
      serverSans: ['a.example', 'b.example'],
      clientCertificate: { chain: '/c', key: '/k' },
      trustedCa: { file: '/ca' },
      crl: '/crl',
    });
  });

  test('takes the names that a ServiceEntry declares', () => {
    const tls = externalTlsOf({ mode: 'SIMPLE' }, { subjectAltNames: ['a.example'] });
    expect(tls).toMatchObject({ serverSans: ['a.example'], autoSanValidation: false });
  });

  test('verifies nothing only where the rule says so', () => {
    const tls = externalTlsOf({ mode: 'SIMPLE', insecureSkipVerify: true, subjectAltNames: ['a'] });
    expect(tls).toMatchObject({ trustedCa: undefined, serverSans: [], autoSanValidation: false });
  });

  test('sends no server name of its own over bytes', () => {
    expect(externalTlsOf({ mode: 'SIMPLE' }, { ports: ports('8000/tcp') })).toMatchObject({ autoSni: false });
  });

  test('needs a mode: a block without one is named, and TLS stays automatic', () => {
    const { first, diagnostics } = clustersOf({ rule: { tls: { sni: 'a.example' } } });
    expect([first.transport.kind, diagnostics.map(({ code }) => code)]).toEqual([
      'automatic',
      ['field-without-effect'],
    ]);
  });

  test('refuses credentials that only a gateway can read', () => {
    const rule: TrafficBlocks = { tls: { mode: 'SIMPLE', credentialName: 'secret' } };
    const { diagnostics } = clustersOf({ rule });
    expect(diagnostics.map(({ code, span }) => [code, span?.file])).toEqual([
      ['credential-name-on-sidecar', 'DestinationRule/default/rule#spec.trafficPolicy.tls.credentialName'],
    ]);
    expect(clustersOf({ rule, scope: { role: 'router' } }).diagnostics[0]?.code).toBe('credential-name-not-compiled');
  });
});

describe('a server whose name nobody checks', () => {
  const stranger = { endpoints: [endpoint('10.1.0.9')] };
  const bytes = { ports: ports('8000/tcp') };
  test.each<[string, TrafficBlocks['tls'], ServiceFields, boolean]>([
    ['MESH_MUTUAL and an empty list', { mode: 'MESH_MUTUAL', subjectAltNames: [] }, {}, true],
    ['MESH_MUTUAL and endpoints that nobody knows', { mode: 'MESH_MUTUAL' }, stranger, true],
    ['MESH_MUTUAL and a list', { mode: 'MESH_MUTUAL', subjectAltNames: ['spiffe://x'] }, stranger, false],
    ['MESH_MUTUAL and known endpoints', { mode: 'MESH_MUTUAL' }, {}, false],
    ['SIMPLE and an SNI', { mode: 'SIMPLE', sni: 'a.example' }, {}, true],
    ['SIMPLE, an SNI and a list', { mode: 'SIMPLE', sni: 'a.example', subjectAltNames: ['a.example'] }, {}, false],
    ['SIMPLE on bytes', { mode: 'SIMPLE' }, bytes, true],
    ['SIMPLE on requests, which name the host', { mode: 'SIMPLE' }, {}, false],
    ['SIMPLE without any check, as the rule says', { mode: 'SIMPLE', insecureSkipVerify: true }, bytes, false],
  ])('is told for %s: %s', (_, tls, service, isTold) => {
    const { diagnostics } = clustersOf({ rule: { ...(tls && { tls }) }, service });
    expect(diagnostics.map(({ code }) => code)).toEqual(isTold ? ['unchecked-server-name'] : []);
  });
});
