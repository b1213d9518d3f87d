import fc from 'fast-check';
import type { AccessRules, Condition } from '../access/lift/rbac.ts';
import { StringMatch, type StringMatchKind } from '../access/model/string-match.ts';
import { UriTemplate } from '../access/model/uri-template.ts';
import { Fragment } from '../envoy/api/fragment.ts';
import { addressIn, headerIs, pathIs, ruleOf, type SeenRequest } from './conditions.ts';

const at = new Fragment({});

/** Rules and requests have few texts, so that they meet. */
const texts = ['/', '/a', '/a/', '/a/b', '/b', '/A'];
const kinds: readonly StringMatchKind[] = ['exact', 'prefix', 'suffix', 'contains'];
const match = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...texts, 'a', ''), fc.boolean()) },
  { weight: 1, arbitrary: fc.constant(['regex', '/a.*', false] as const) },
);
const stringMatch = match.map(([kind, value, ignoresCase]) => new StringMatch(kind, value, ignoresCase));
const blocks = ['10.0.0.0/8', '10.1.0.0/15', '10.1.2.3/32', '0.0.0.0/0', '::/0', 'fd00::/9', '::ffff:10.1.2.0/120'];
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: stringMatch.map(pathIs) },
  { weight: 3, arbitrary: stringMatch.map((one): Condition => ({ kind: 'identity', at, match: one })) },
  { weight: 1, arbitrary: fc.constant<Condition>({ kind: 'identity', at, match: 'any' }) },
  { weight: 1, arbitrary: fc.constant<Condition>({ kind: 'path-template', at, template: new UriTemplate('/{*}') }) },
  { weight: 1, arbitrary: stringMatch.map((one): Condition => ({ kind: 'server-name', at, match: one })) },
  { weight: 1, arbitrary: fc.constantFrom(80, 81).map((port): Condition => ({ kind: 'destination-port', at, port })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('x-a', 'x-b', ':method', 'host'),
        fc.option(stringMatch, { nil: 'present' as const }),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([name, one, isInverted, isEmpty]) => headerIs(name, one, isInverted, isEmpty)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('direct-remote-ip', 'remote-ip', 'destination-ip'), fc.constantFrom(...blocks))
      .map(([kind, text]) => addressIn(kind, text)),
  },
);
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: leaf },
    { weight: 3, arbitrary: members(tie('condition')).map((of): Condition => ({ kind: 'all', of })) },
    { weight: 3, arbitrary: members(tie('condition')).map((of): Condition => ({ kind: 'some', of })) },
    { weight: 1, arbitrary: tie('condition').map((of): Condition => ({ kind: 'not', of })) },
    { weight: 1, arbitrary: fc.constant<Condition>({ kind: 'any' }) },
  ),
}));

function members(of: fc.Arbitrary<Condition>): fc.Arbitrary<Condition[]> {
  return fc.array(of, { maxLength: 3 });
}

/** Up to 24 rules, of which one in four lists has one that is not understood. */
export const accessRules: fc.Arbitrary<AccessRules> = fc
  .record({
    action: fc.constantFrom<AccessRules['action']>('ALLOW', 'DENY'),
    conditions: fc.array(fc.tuple(condition, condition), { minLength: 1, maxLength: 24 }),
    gapAt: fc.option(fc.nat(48), { nil: undefined, freq: 3 }),
  })
  .map(({ action, conditions, gapAt }) => ({
    action,
    at,
    rules: conditions.map(([first, second], i) =>
      ruleOf({ kind: 'all', of: [first, second] }, i, i === gapAt ? 'somewhere' : undefined),
    ),
  }));
const text = fc.constantFrom(...texts, 'a');
const address = fc.constantFrom('10.1.2.3', '10.0.0.1', '11.0.0.1', 'fd00::1', '::1');
/** Requests as a proxy sees them. */
export const requests: fc.Arbitrary<SeenRequest> = fc.record({
  path: fc.tuple(fc.constantFrom(...texts), fc.constantFrom('', '?/a')).map((parts) => parts.join('')),
  method: fc.constantFrom('GET', 'a'),
  headers: fc.array(fc.tuple(fc.constantFrom('x-a', 'x-b'), text), { maxLength: 3 }),
  source: address,
  remote: address,
  port: fc.constantFrom(80, 81),
  tls: fc.option(
    fc.record({
      serverName: text,
      alpn: fc.constant([]),
      identities: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  opaque: fc.subarray(['x-a', 'x-b', 'x-c', ':method']),
});
/** What is not known of a request, and the answers that are then assumed. */
export const unknowns = fc.record({
  knows: fc.record({ authority: fc.boolean(), identity: fc.boolean(), serverName: fc.boolean() }),
  is: fc.constantFrom('direct', 'remote', 'both'),
  told: fc.option(fc.subarray(['x-a', 'x-b']), { nil: undefined }),
  isCoarse: fc.boolean(),
  assumed: fc.infiniteStream(fc.boolean()).map((stream) => [...stream.take(40)]),
});
