import { expect, test } from 'vitest';
import type { Diagnostic } from '../../diagnostics/bag.ts';
import type { FleetFault, ProxyOutcome } from '../../live/fleet-outcome.ts';
import { faultsOf } from './fault-texts.ts';

test('agents are told the errors of objects in their own namespace, and of all others the name alone', () => {
  const error = { code: 'unknown-field', severity: 'error', message: 'unknown field "quoted"', related: [] };
  const fault: FleetFault = {
    object: { kind: 'AuthorizationPolicy', namespace: 'foo', name: 'deny' },
    ...{
      file: 'foo/deny.yaml',
      line: 3,
      heldSince: 'v1',
      lacksDestinations: false,
      errors: [error as unknown as Diagnostic],
    },
  };
  const secret: FleetFault = { ...fault, object: { kind: 'Secret', namespace: 'foo', name: 'shop' } };
  const nameless: FleetFault = { ...fault, object: undefined, heldSince: undefined };
  const route = { kind: 'VirtualService', namespace: 'foo', name: 'far' };
  const gone: FleetFault = { ...fault, object: route, heldSince: undefined, lacksDestinations: true };
  const outcome = { config: {}, faults: [fault, nameless, secret, gone] } as unknown as ProxyOutcome;
  const outcomes = new Map([
    ['foo/web', outcome],
    ['bar/web', outcome],
  ]);
  const [own = [], others = []] = faultsOf(outcomes, () => () => undefined);
  const [held, none, key, without] = [
    'AuthorizationPolicy/foo/deny is invalid, its last valid version stays active',
    'a document is invalid, no version of it is active',
    'Secret/foo/shop is invalid, its last valid version stays active',
    'VirtualService/foo/far is invalid, its routes to destinations that do not exist answer 503, the others are active',
  ];
  expect(own.map(({ text }) => text)).toEqual([
    `${held}: unknown field "quoted"`,
    none,
    key,
    `${without}: unknown field "quoted"`,
  ]);
  expect(others.map(({ text }) => text)).toEqual([held, none, key, without]);
  expect(own.map(({ name }) => name)).toEqual(others.map(({ name }) => name));
  expect(JSON.stringify(others)).not.toMatch(/quoted|yaml/);
});
