import { expect, test } from 'vitest';
import type { Diagnostic } from '../../diagnostics/bag.ts';
import type { FleetFault, ProxyOutcome } from '../../live/fleet-outcome.ts';
import { faultsOf } from './fault-texts.ts';

test('agents are told the errors of objects in their own namespace, and of all others the name alone', () => {
  const error = { code: 'unknown-field', severity: 'error', message: 'unknown field "quoted"', related: [] };
  const fault: FleetFault = {
    object: { kind: 'AuthorizationPolicy', namespace: 'foo', name: 'deny' },
    ...{ file: 'foo/deny.yaml', line: 3, heldSince: 'v1', errors: [error as unknown as Diagnostic] },
  };
  const secret: FleetFault = { ...fault, object: { kind: 'Secret', namespace: 'foo', name: 'shop' } };
  const nameless: FleetFault = { ...fault, object: undefined, heldSince: undefined };
  const outcome = { config: {}, faults: [fault, nameless, secret] } as unknown as ProxyOutcome;
  const outcomes = new Map([
    ['foo/web', outcome],
    ['bar/web', outcome],
  ]);
  const [own = [], others = []] = faultsOf(outcomes, () => () => undefined);
  const [held, none, key] = [
    'AuthorizationPolicy/foo/deny is invalid, its last valid version stays active',
    'a document is invalid, no version of it is active',
    'Secret/foo/shop is invalid, its last valid version stays active',
  ];
  expect(own.map(({ text }) => text)).toEqual([`${held}: unknown field "quoted"`, none, key]);
  expect(others.map(({ text }) => text)).toEqual([held, none, key]);
  expect(own.map(({ name }) => name)).toEqual(others.map(({ name }) => name));
  expect(JSON.stringify(others)).not.toMatch(/quoted|yaml/);
});
