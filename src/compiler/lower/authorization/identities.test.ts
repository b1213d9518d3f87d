import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../testing/effort.ts';
import type { PrincipalIR } from '../../ir/rbac.ts';
import { namespaceMatch, principalMatch, serviceAccountMatch, trustDomainMatch } from './identities.ts';

const trustDomains = ['td.one', 'td-two'];
const senses = fc.constantFrom('gives' as const, 'takes' as const);

/** Legal names of service accounts and namespaces, with the characters that mean something in an expression. */
const account = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,8}[a-z0-9])?$/);
const namespace = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const domain = fc.constantFrom(...trustDomains);

/** What Envoy's StringMatcher says of an identity. */
function holds(term: PrincipalIR, identity: string): boolean {
  if (term.kind === 'some') return term.of.some((one) => holds(one, identity));
  if (term.kind === 'all') return term.of.every((one) => holds(one, identity));
  if (term.kind !== 'identity') throw new Error(`${term.kind} is not about identities`);
  if (term.match === 'present') return true;
  const { kind, value } = term.match;
  if (kind === 'exact') return identity === value;
  if (kind === 'prefix') return identity.startsWith(value);
  if (kind === 'suffix') return identity.endsWith(value);
  return kind === 'contains' ? identity.includes(value) : new RegExp(`^(?:${value})$`, 's').test(identity);
}

/** One character of the text is another one. */
function nearMiss(text: string, place: number): string {
  const index = place % text.length;
  return `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`;
}

describe('an identity in a rule', () => {
  test('matches only itself and no similar name, whatever characters it has', () => {
    fc.assert(
      fc.property(senses, domain, namespace, account, fc.nat(), (sense, td, ns, sa, place) => {
        const own = `spiffe://${td}/ns/${ns}/sa/${sa}`;
        const other = {
          account: `spiffe://${td}/ns/${ns}/sa/${nearMiss(sa, place)}`,
          namespace: `spiffe://${td}/ns/${nearMiss(ns, place)}/sa/${sa}`,
          longer: `spiffe://${td}/ns/${ns}/sa/${sa}x`,
        };
        const byPrincipal = principalMatch(`${td}/ns/${ns}/sa/${sa}`, sense, trustDomains);
        const byAccount = serviceAccountMatch(`${ns}/${sa}`, sense, trustDomains, 'elsewhere');
        const byNamespace = namespaceMatch(ns, sense, trustDomains);
        for (const match of [byPrincipal, byAccount]) {
          expect(holds(match, own)).toBe(true);
          expect(Object.values(other).filter((identity) => holds(match, identity))).toEqual([]);
        }
        expect(holds(byNamespace, own)).toBe(true);
        expect(holds(byNamespace, other.namespace)).toBe(false);
      }),
      runs(),
    );
  });

  test.each([
    ['td.one', 'web-prod', true],
    ['td-two', 'prod', true],
    ['tdXone', 'web-prod', false],
    ['partner', 'web-prod', false],
    ['partner/ns', 'web-prod', false],
  ])('of %s in a namespace %s is in one that ends with prod, for who may enter: %s', (td, ns, isIn) => {
    expect(holds(namespaceMatch('*prod', 'gives', trustDomains), `spiffe://${td}/ns/${ns}/sa/x`)).toBe(isIn);
  });

  test.each([
    ['spiffe://td.one/ns/a/sa/x', true],
    ['spiffe://another.one/ns/a/sa/x', true],
    ['spiffe://partner/dept.one/ns/a/sa/x', false],
    ['spiffe://tdXone/ns/a/sa/x', false],
  ])('%s is of a trust domain that ends with .one, for who may enter: %s', (identity, isIn) => {
    expect(holds(trustDomainMatch('*.one', 'gives', trustDomains), identity)).toBe(isIn);
  });
});
