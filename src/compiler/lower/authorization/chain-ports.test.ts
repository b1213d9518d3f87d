import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuthorizationRule } from '../../../policy/authorization-policy.ts';
import { runs } from '../../../testing/effort.ts';
import { type ChainPorts, ruleOnPorts } from './chain-ports.ts';

const on8000: ChainPorts = { only: 8000 };
const elsewhere: ChainPorts = { allBut: [8000, 9000] };
const path = { paths: ['/a'] };

describe('ruleOnPorts', () => {
  test.each<[string, AuthorizationRule, ChainPorts, AuthorizationRule | undefined]>([
    ['about another port', { to: [{ operation: { ports: ['9000'] } }] }, on8000, undefined],
    [
      'about its port',
      { to: [{ operation: { ports: ['8000'], ...path } }] },
      on8000,
      { to: [{ operation: { ports: ['8000'], ...path } }], when: [] },
    ],
    [
      'about both',
      { to: [{ operation: { ports: ['8000', '9000'] } }] },
      on8000,
      { to: [{ operation: { ports: ['8000'] } }], when: [] },
    ],
    [
      'with an operation of another port',
      { to: [{ operation: { ports: ['9000'] } }, { operation: path }] },
      on8000,
      { to: [{ operation: path }], when: [] },
    ],
    ['that leaves its port out', { to: [{ operation: { notPorts: ['8000'] } }] }, on8000, undefined],
    [
      'that leaves another port out',
      { to: [{ operation: { notPorts: ['9000'] } }] },
      on8000,
      { to: [{ operation: {} }], when: [] },
    ],
    ['with a condition on another port', { when: [{ key: 'destination.port', values: ['9000'] }] }, on8000, undefined],
    [
      'with a condition against another port',
      { when: [{ key: 'destination.port', notValues: ['9000'] }] },
      on8000,
      { when: [] },
    ],
    ['about ports with other chains', { to: [{ operation: { ports: ['8000', '9000'] } }] }, elsewhere, undefined],
    [
      'about a port of no other chain',
      { to: [{ operation: { ports: ['8000', '7000'] } }] },
      elsewhere,
      { to: [{ operation: { ports: ['7000'] } }], when: [] },
    ],
    [
      'against a port of no other chain',
      { to: [{ operation: { notPorts: ['8000', '7000'] } }] },
      elsewhere,
      { to: [{ operation: { notPorts: ['7000'] } }], when: [] },
    ],
  ])('of a rule %s', (_, rule, chain, expected) => {
    expect(ruleOnPorts(rule, chain)).toEqual(expected);
  });

  test('matches on a chain what the whole rule matches there', () => {
    const port = fc.constantFrom('7000', '7001', '8000', '9000');
    const list = fc.option(fc.array(port, { minLength: 1, maxLength: 3 }), { nil: undefined });
    const operation = fc.record({ ports: list, notPorts: list });
    const condition = fc.record({ key: fc.constant('destination.port'), values: list, notValues: list });
    const rule = fc.record({
      to: fc.option(fc.array(fc.record({ operation }), { minLength: 1, maxLength: 3 }), { nil: undefined }),
      when: fc.array(condition, { maxLength: 2 }),
    });
    const chains: readonly (readonly [ChainPorts, readonly number[]])[] = [
      [on8000, [8000]],
      [elsewhere, [7000, 7001]],
    ];
    fc.assert(
      fc.property(rule, (any) => {
        const whole = any as AuthorizationRule;
        for (const [chain, coming] of chains) {
          for (const number of coming) {
            const own = ruleOnPorts(whole, chain);
            expect(own !== undefined && holds(own, number)).toBe(holds(whole, number));
          }
        }
      }),
      runs(500),
    );
  });
});

/** What the fields of ports say about a connection to a port. */
function holds({ to, when = [] }: AuthorizationRule, port: number): boolean {
  const fits = (accepted: readonly string[] | undefined, refused: readonly string[] | undefined): boolean =>
    (accepted?.includes(String(port)) ?? true) && !refused?.includes(String(port));
  const isOperation = to === undefined || to.some(({ operation }) => fits(operation.ports, operation.notPorts));
  return isOperation && when.every(({ values, notValues }) => fits(values, notValues));
}
