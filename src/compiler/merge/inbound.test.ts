import { describe, expect, test } from 'vitest';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import { pod, service } from '../../testing/objects.ts';
import { mergeBench, peer, selector, shopObjects } from './testing/merge-bench.ts';

/** Overall mode and modes by port of `shop/web`. */
function modesOf(peers: readonly PeerAuthentication[], workload = 'shop/web') {
  const { compile, workload: find } = mergeBench({ peers });
  const { effective, diagnostics } = compile();
  const { mode, ports } = effective.inbound(find(workload));
  const byPort = Object.fromEntries([...ports].map(([port, { value }]) => [port, value]));
  return { mode: mode.value, ports: byPort, diagnostics };
}

describe('inbound', () => {
  const mesh = (mode: 'UNSET' | 'STRICT' | 'DISABLE') => peer('mesh-system/mesh', { mtls: { mode } });
  const ns = (mode: 'UNSET' | 'STRICT' | 'DISABLE') => peer('shop/ns', { mtls: { mode } });

  test.each([
    ['nothing', [], 'PERMISSIVE', {}],
    ['mesh UNSET', [mesh('UNSET')], 'PERMISSIVE', {}],
    ['mesh without mtls', [peer('mesh-system/mesh', {})], 'PERMISSIVE', {}],
    ['mesh STRICT', [mesh('STRICT')], 'STRICT', {}],
    ['namespace over mesh', [mesh('STRICT'), ns('DISABLE')], 'DISABLE', {}],
    ['namespace UNSET inherits', [mesh('STRICT'), ns('UNSET')], 'STRICT', {}],
    [
      'empty selector is none',
      [peer('shop/ns', { selector: { matchLabels: {} }, mtls: { mode: 'STRICT' } })],
      'STRICT',
      {},
    ],
    ['another namespace says nothing', [peer('home/ns', { mtls: { mode: 'STRICT' } })], 'PERMISSIVE', {}],
    [
      'workload UNSET with ports under a STRICT namespace',
      [ns('STRICT'), peer('shop/w', { selector, portLevelMtls: { 81: { mode: 'DISABLE' }, 8090: { mode: 'UNSET' } } })],
      'STRICT',
      { 81: 'DISABLE' },
    ],
    [
      'service port instead of container port',
      [peer('shop/w', { selector, mtls: { mode: 'STRICT' }, portLevelMtls: { 80: { mode: 'DISABLE' } } })],
      'STRICT',
      {},
    ],
    [
      'workload DISABLE, one port STRICT',
      [peer('shop/w', { selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 8090: { mode: 'STRICT' } } })],
      'DISABLE',
      { 8090: 'STRICT' },
    ],
    [
      'the older of two workload policies alone',
      [
        peer({ name: 'shop/a', createdAt: 2 }, { selector, portLevelMtls: { 81: { mode: 'STRICT' } } }),
        peer({ name: 'shop/b', createdAt: 1 }, { selector, mtls: { mode: 'DISABLE' } }),
      ],
      'DISABLE',
      {},
    ],
    [
      'the lower name of two equally old ones',
      [peer('shop/b', { mtls: { mode: 'STRICT' } }), peer('shop/a', { mtls: { mode: 'DISABLE' } })],
      'DISABLE',
      {},
    ],
    [
      'selector in the root namespace',
      [peer('mesh-system/w', { selector, mtls: { mode: 'STRICT' } })],
      'PERMISSIVE',
      {},
    ],
  ] as const)('gives the mode of the workload and those of its ports: %s', (_, peers, mode, ports) => {
    expect(modesOf(peers)).toMatchObject({ mode, ports });
  });

  test('gives workloads of the root namespace the mesh level alone', () => {
    const peers = [mesh('STRICT'), peer('mesh-system/w', { selector, mtls: { mode: 'DISABLE' } })];
    expect(modesOf(peers, 'mesh-system/gateway').mode).toBe('STRICT');
  });

  test('names the field that decided and those that wanted otherwise', () => {
    const own = peer('shop/w', { selector, mtls: { mode: 'DISABLE' }, portLevelMtls: { 8090: { mode: 'STRICT' } } });
    const { compile, workload } = mergeBench({ peers: [mesh('STRICT'), ns('DISABLE'), own] });
    const { mode, ports } = compile().effective.inbound(workload('shop/web'));
    const named = (origins: typeof mode.origins) => ({
      decidedBy: origins.decidedBy.map(({ name, field }) => `${name} ${field.join('.')}`),
      overrode: origins.overrode.map(({ name, field }) => `${name} ${field.join('.')}`),
    });
    expect(named(mode.origins)).toEqual({ decidedBy: ['w spec.mtls.mode'], overrode: ['mesh spec.mtls.mode'] });
    expect(named(ports.get(8090)!.origins)).toEqual({
      decidedBy: ['w spec.portLevelMtls.8090.mode'],
      overrode: ['w spec.mtls.mode', 'ns spec.mtls.mode'],
    });
  });

  test('is one answer for workloads whose policies and decided ports are the same', () => {
    const web = { app: 'web' };
    const objects = [
      ...shopObjects,
      pod({ name: 'shop/second', labels: web }, '10.0.0.3'),
      pod({ name: 'shop/alone', labels: { app: 'web', of: 'nobody' } }, '10.0.0.4'),
      service('shop/apart', { selector: { of: 'nobody' }, ports: [{ name: 'http', port: 8100 }] }),
    ];
    const ofPorts = peer('shop/w', { selector, portLevelMtls: { 81: { mode: 'STRICT' }, 8100: { mode: 'DISABLE' } } });
    const { compile, workload } = mergeBench({ peers: [ofPorts], objects });
    const { effective } = compile();
    const [first, second, alone] = ['shop/web', 'shop/second', 'shop/alone'].map((it) =>
      effective.inbound(workload(it)),
    );
    expect(second).toBe(first);
    expect([...(first?.ports.keys() ?? [])]).toEqual([81]);
    expect([...(alone?.ports.keys() ?? [])]).toEqual([81, 8100]);
    expect(effective.inbound(workload('shop/other'))).not.toBe(first);
  });

  test('knows no workload that the topology does not have', () => {
    expect(() => mergeBench({}).compile().effective.inbound({ namespace: 'shop', name: 'gone' })).toThrow('shop/gone');
  });
});

describe('diagnostics of PeerAuthentication', () => {
  test.each([
    [
      'two policies of one scope',
      [peer('shop/a', {}), peer('shop/b', {}), peer('mesh-system/a', {}), peer('mesh-system/b', {})],
      [
        'competing-scope-policies PeerAuthentication/mesh-system/b#metadata.name',
        'competing-scope-policies PeerAuthentication/shop/b#metadata.name',
      ],
    ],
    [
      'a selector in the root namespace',
      [peer('mesh-system/a', { selector })],
      ['selector-in-root-namespace PeerAuthentication/mesh-system/a#spec.selector'],
    ],
    [
      'two workload policies on one workload, once',
      [peer('shop/a', { selector }), peer('shop/b', { selector, portLevelMtls: { 1: { mode: 'STRICT' } } })],
      ['competing-workload-policies PeerAuthentication/shop/b#metadata.name'],
    ],
    [
      'a port that no service delivers to',
      [peer('shop/a', { selector, portLevelMtls: { 80: { mode: 'STRICT' }, 81: { mode: 'STRICT' } } })],
      ['port-without-service PeerAuthentication/shop/a#spec.portLevelMtls.80'],
    ],
    [
      'a policy that selects nothing',
      [peer('shop/a', { selector: { matchLabels: { x: 'y' } } })],
      ['selector-without-workload PeerAuthentication/shop/a#spec.selector'],
    ],
  ] as const)('names %s', (_, peers, expected) => {
    expect(modesOf(peers).diagnostics.sort()).toEqual(expected);
  });
});
