import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { host, mergeBench, peer, selector, shopObjects } from './testing/merge-bench.ts';

describe('outbound', () => {
  test.each([
    ['nothing', [], 'PERMISSIVE'],
    ['mesh', [peer('mesh-system/m', { mtls: { mode: 'DISABLE' } })], 'DISABLE'],
    ['namespace UNSET', [peer('mesh-system/m', { mtls: { mode: 'STRICT' } }), peer('shop/n', {})], 'STRICT'],
    ["the client's namespace says nothing", [peer('home/n', { mtls: { mode: 'DISABLE' } })], 'PERMISSIVE'],
    ['nor does a workload policy', [peer('shop/w', { selector, mtls: { mode: 'DISABLE' } })], 'PERMISSIVE'],
  ] as const)('takes the service mode from mesh and namespace: %s', (_, peers, expected) => {
    expect(mergeBench({ peers }).compile().outbound('home/client')[0]!.serviceMode.value).toBe(expected);
  });

  test('shows a client what is exported to it; of two definitions of a host its own', () => {
    const entry = (name: string, exportTo: string[]) =>
      make.serviceEntry(name, { hosts: ['api.com'], exportTo, ports: [{ number: 80, name: 'http' }] });
    const objects = [...shopObjects, entry('aaa/e', ['*']), entry('home/e', ['.']), entry('x/e', ['shop'])];
    const { outbound } = mergeBench({ objects }).compile();
    const seen = (client: string) => outbound(client).map(({ service }) => `${service.namespace} ${service.host}`);
    expect(seen('home/client')).toEqual(['home api.com', `shop ${host}`]);
    expect(seen('shop/web')).toEqual(['aaa api.com', `shop ${host}`]);
  });

  test('shows no client a ServiceEntry of another namespace in place of the service that has the host', () => {
    const thief = make.serviceEntry({ name: 'aaa/thief', createdAt: -1 }, { hosts: [host] });
    const own = make.serviceEntry({ name: 'home/own', createdAt: 1 }, { hosts: [host] });
    const { outbound } = mergeBench({
      objects: [...shopObjects, thief, own, make.pod('third/client', '10.0.9.1')],
    }).compile();
    const seen = (client: string) => outbound(client).map(({ service }) => service.namespace);
    expect(seen('third/client')).toEqual(['shop']);
    expect(seen('home/client')).toEqual(['home']);
  });
});
