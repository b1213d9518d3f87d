import { expect, test } from 'vitest';
import { NameScopes } from './name-scopes.ts';
import type { ScopedWorkload } from './scope-changes.ts';

const noScopes = { scopes: [], goneScopes: [], workloads: [], goneWorkloads: [] };
const caller = { namespace: 'shop', serviceAccount: 'cart', address: '10.0.0.1' };
const workload = (scope: string, addresses = ['10.0.0.1']): ScopedWorkload => ({
  ...{ scope, namespace: 'shop', serviceAccount: 'cart', addresses },
});

test('a caller has the scope of the workload whose identity and address it has', () => {
  const scopes = new NameScopes();
  const two = ['one', 'two'].map((name) => [name, [`shop/${name}`]] as const);
  scopes.take({ ...noScopes, scopes: two, workloads: [['shop/cart-1', workload('one', ['10.0.0.1', 'fd00::1'])]] });
  const imported = (of = caller): readonly string[] => [...(scopes.ofCaller(of)?.services ?? [])];
  expect([imported(), imported({ ...caller, address: 'fd00::1' })]).toEqual([['shop/one'], ['shop/one']]);
  for (const other of [{ address: '10.0.0.2' }, { serviceAccount: 'pay' }, { namespace: 'bank' }])
    expect(scopes.ofCaller({ ...caller, ...other })).toBeUndefined();

  // Two on the network of one node, of which nobody knows which one asks.
  scopes.take({ ...noScopes, workloads: [['shop/cart-2', workload('one')]] });
  expect(imported()).toEqual(['shop/one']);
  scopes.take({ ...noScopes, workloads: [['shop/cart-2', workload('two')]] });
  expect(scopes.ofCaller(caller)).toBeUndefined();
  scopes.take({ ...noScopes, goneWorkloads: ['shop/cart-1'], goneScopes: ['one'] });
  expect([imported(), scopes.ofWorkload('shop/cart-1')]).toEqual([['shop/two'], undefined]);
});
