import { expect, test } from 'vitest';
import { pathOf } from './resource-type.ts';

const gateways = { group: 'gateway.networking.k8s.io', version: 'v1', resource: 'gateways' };
const root = '/apis/gateway.networking.k8s.io/v1';

test('a path leads to all objects of a kind, to those of a namespace, or to one', () => {
  expect([pathOf(gateways), pathOf(gateways, 'shop'), pathOf(gateways, 'shop', 'edge')]).toEqual([
    `${root}/gateways`,
    `${root}/namespaces/shop/gateways`,
    `${root}/namespaces/shop/gateways/edge`,
  ]);
  expect(pathOf({ group: '', version: 'v1', resource: 'namespaces' }, undefined, 'shop')).toBe(
    '/api/v1/namespaces/shop',
  );
});

test('a text in the place of a namespace or a name leads nowhere else', () => {
  expect(pathOf(gateways, 'shop/secrets?watch=1&a=', '../x')).toBe(
    `${root}/namespaces/shop%2Fsecrets%3Fwatch%3D1%26a%3D/gateways/..%2Fx`,
  );
});

test.each(['', '.', '..'])('no path has "%s" in the place of a namespace or a name', (text) => {
  const error = `"${text}" is no name of an object`;
  expect(() => pathOf(gateways, text)).toThrow(error);
  expect(() => pathOf(gateways, 'shop', text)).toThrow(error);
});
