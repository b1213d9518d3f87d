import { describe, expect, test } from 'vitest';
import { endpoint, ports } from '../../../testing/topology.ts';
import { clustersOf, host, identity, type Options, without, withSidecar } from '../clusters/testing/clusters-of.ts';

/** `plaintext`, `automatic`, `mesh` or `external`. */
function transportOf(options: Options): string {
  const { transport } = clustersOf(options).first;
  return transport.kind === 'tls' ? transport.tls.kind : transport.kind;
}

function meshTlsOf(options: Options) {
  const { transport } = clustersOf(options).first;
  if (transport.kind === 'plaintext' || transport.tls.kind !== 'mesh') throw new Error('no mesh TLS');
  return transport.tls;
}

describe('the client’s TLS', () => {
  const headless = { isHeadless: true, resolution: 'passthrough' } as const;
  test.each<[string, Options, string]>([
    ['rule DISABLE', { rule: { tls: { mode: 'DISABLE' } }, mode: 'STRICT' }, 'plaintext'],
    ['rule SIMPLE', { rule: { tls: { mode: 'SIMPLE' } } }, 'external'],
    ['rule MUTUAL', { rule: { tls: { mode: 'MUTUAL', clientCertificate: 'c', privateKey: 'k' } } }, 'external'],
    ['rule MESH_MUTUAL', { rule: { tls: { mode: 'MESH_MUTUAL' } }, mode: 'DISABLE' }, 'mesh'],
    [
      'rule MESH_MUTUAL and no sidecar',
      { rule: { tls: { mode: 'MESH_MUTUAL' } }, service: { endpoints: [without] } },
      'mesh',
    ],
    ['external service', { service: { isExternal: true } }, 'plaintext'],
    [
      'rule MESH_MUTUAL for an external service',
      { rule: { tls: { mode: 'MESH_MUTUAL' } }, service: { isExternal: true } },
      'mesh',
    ],
    ['automatic TLS off', { settings: { autoMtls: false } }, 'plaintext'],
    ['mode DISABLE', { mode: 'DISABLE' }, 'plaintext'],
    ['mode PERMISSIVE', {}, 'automatic'],
    ['mode STRICT', { mode: 'STRICT' }, 'automatic'],
    ['a rule without tls', { rule: { connectionPool: {} } }, 'automatic'],
    ['headless, all with sidecar', { service: headless }, 'mesh'],
    ['headless, one without', { service: { ...headless, endpoints: [withSidecar, without] } }, 'plaintext'],
    ['headless, nobody', { service: { ...headless, endpoints: [] } }, 'plaintext'],
    ['headless, mode DISABLE', { service: headless, mode: 'DISABLE' }, 'plaintext'],
    [
      'headless at a router',
      { service: { ...headless, endpoints: [withSidecar, without] }, scope: { role: 'router' } },
      'automatic',
    ],
    ['headless with known endpoints', { service: headless, settings: { edsForHeadless: true } }, 'automatic'],
    ['balancer PASSTHROUGH', { rule: { loadBalancer: { simple: 'PASSTHROUGH' } } }, 'mesh'],
  ])('with %s is decided by the table', (_, options, expected) => {
    expect(transportOf(options)).toBe(expected);
  });

  test('names the field that decided it', () => {
    const { transport } = clustersOf({ rule: { tls: { mode: 'DISABLE' }, connectionPool: {} } }).first;
    expect(transport.origins.decidedBy.map(({ field }) => field)).toEqual([['spec', 'trafficPolicy', 'tls']]);
  });

  test.each([
    ['http', ['mesh-http/1.1', 'mesh']],
    ['grpc', ['mesh-h2', 'mesh', 'h2']],
    ['tcp', ['mesh']],
    ['auto', ['mesh']],
  ])('offers on a port of protocol %s: %s', (protocol, alpn) => {
    expect(meshTlsOf({ service: { ports: ports(`8000/${protocol}`) } }).alpn).toEqual(alpn);
  });

  test('asks for the service by the four parts of the cluster’s name, or as the rule says', () => {
    const { clusters } = clustersOf({ subsets: { v1: {} } });
    const snis = clusters.map(({ transport }) => (transport.kind === 'plaintext' ? '' : transport.tls.sni));
    expect(snis).toEqual([`outbound_.8000_._.${host}`, `outbound_.8000_.v1_.${host}`]);
    expect(meshTlsOf({ rule: { tls: { mode: 'MESH_MUTUAL', sni: 'own' } } }).sni).toBe('own');
  });
});

describe('identities of the server', () => {
  const sans = (options: Options) => meshTlsOf(options).serverSans.map(({ kind, value }) => `${kind} ${value}`);
  const other = endpoint('10.1.0.3', { identity: identity('b') });

  test('are those of all endpoints of the port, and those that the service declares', () => {
    const elsewhere = endpoint('10.1.0.4', { servicePort: 9, identity: identity('port-9') });
    const service = { endpoints: [withSidecar, other, elsewhere], subjectAltNames: [identity('declared')] };
    const expected = ['b', 'declared', 'x'].map((account) => `exact ${identity(account)}`);
    expect(sans({ service })).toEqual(expected);
    const { clusters } = clustersOf({ service, subsets: { v1: { version: 'v1' } } });
    const [whole, subset] = clusters.map(({ transport }) => transport.kind === 'automatic' && transport.tls.serverSans);
    expect(subset).toEqual(whole);
  });

  test('stand in every trust domain of the mesh', () => {
    const settings = { trustDomainAliases: ['old'] };
    const foreign = endpoint('10.1.0.5', { identity: identity('f', 'elsewhere') });
    expect(sans({ settings, service: { endpoints: [withSidecar, foreign] } })).toEqual([
      `exact ${identity('x')}`,
      `exact ${identity('f', 'elsewhere')}`,
      `exact ${identity('x', 'old')}`,
    ]);
  });

  test('are the rule’s when it names any, or none when it names an empty list', () => {
    expect(sans({ rule: { tls: { mode: 'MESH_MUTUAL', subjectAltNames: ['spiffe://own'] } } })).toEqual([
      'exact spiffe://own',
    ]);
    expect(sans({ rule: { tls: { mode: 'MESH_MUTUAL', subjectAltNames: [] } } })).toEqual([]);
  });
});
