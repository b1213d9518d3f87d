import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { atomsOf } from './atoms.ts';
import { Chance } from './chance.ts';
import { corpusOf, generateRequest } from './requests.ts';

const types = 'type.googleapis.com/envoy';

/** As a listener has them, in several places and depths. */
const resource = {
  name: 'in',
  filter_chain_match: { server_names: ['cart.example'] },
  rules: [
    { url_path: { path: { prefix: '/cart/' } } },
    { header: { name: ':method', string_match: { exact: 'DELETE' } } },
    { header: { name: 'x-team', string_match: { safe_regex: { regex: 'red|blue.*' } } } },
    { remote_ip: { address_prefix: '10.1.0.0', prefix_len: 16 } },
    { san: { exact: 'spiffe://cluster.local/ns/shop/sa/web' } },
    { filter: 'jwt', path: [{ key: 'payload' }, { key: 'role' }], value: { string_match: { exact: 'admin' } } },
  ],
  providers: { a: { issuer: 'https://issuer.example', audiences: ['shop'] } },
  typed_config: { '@type': `${types}.extensions.x.v3.X` },
};

describe('atomsOf', () => {
  test('finds every literal by what it is asked of, at any depth', () => {
    expect(atomsOf([{ nested: [resource] }])).toEqual({
      paths: ['/cart/'],
      hosts: ['cart.example'],
      methods: ['DELETE'],
      identities: ['spiffe://cluster.local/ns/shop/sa/web'],
      addresses: ['10.1.0.0'],
      issuers: ['https://issuer.example'],
      audiences: ['shop'],
      headers: [['x-team', 'redbluex']],
      claims: [[['role'], 'admin']],
    });
  });
});

const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {serviceAccountName: cart, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
`;

describe('generateRequest', () => {
  const corpus = corpusOf(compiledWorld([mesh]), () => [resource]);
  const many = (seed: number) => {
    const chance = new Chance(seed);
    return Array.from({ length: 400 }, () => generateRequest(chance, corpus));
  };

  test('makes the same requests of the same seed, and others of another one', () => {
    expect(many(1)).toEqual(many(1));
    expect(many(1)).not.toEqual(many(2));
  });

  test('meets every kind of client, target and literal', () => {
    const all = JSON.stringify(many(3));
    for (const part of [
      '"from":"shop/cart"',
      '"from":"10.1.0.',
      '"from":"spiffe://cluster.local/ns/shop/sa/web"',
      '"from":"spiffe://other.example',
    ])
      expect(all).toContain(part);
    for (const part of [
      '"to":"shop/cart:8080"',
      '"to":"cart.shop.svc.cluster.local:80"',
      '"protocol":"http2"',
      '"protocol":"tcp"',
    ])
      expect(all).toContain(part);
    for (const part of [
      '"path":"/cart/"',
      '"method":"DELETE"',
      '"x-team":"redbluex"',
      '"iss":"https://issuer.example"',
      '"role":"admin"',
      'other.example',
    ])
      expect(all).toContain(part);
  });

  test('has nothing to say of a mesh without a proxy', () => {
    expect(generateRequest(new Chance(1), { clients: [], outside: [], targets: [] })).toBeUndefined();
  });
});
