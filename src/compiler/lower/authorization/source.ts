import type { Source } from '../../../policy/authorization-policy.ts';
import type { PrincipalIR } from '../../ir/rbac.ts';
import { canonicalBlock } from '../../topology/address.ts';
import { allOf, notOf, someOf } from './combine.ts';
import { type RuleContext, senseOf } from './context.ts';
import { namespaceMatch, principalMatch, serviceAccountMatch, trustDomainMatch } from './identities.ts';
import type { Sense } from './pattern.ts';
import { requestPrincipalMatch } from './tokens.ts';

export type SourceField = Exclude<keyof Source, `not${string}`>;

type MatchOf = (value: string, sense: Sense, context: RuleContext) => PrincipalIR;

const matches: Readonly<Record<SourceField, MatchOf>> = {
  principals: (value, sense, { trustDomains }) => principalMatch(value, sense, trustDomains),
  requestPrincipals: requestPrincipalMatch,
  namespaces: (value, sense, { trustDomains }) => namespaceMatch(value, sense, trustDomains),
  serviceAccounts: (value, sense, { trustDomains, policyNamespace }) =>
    serviceAccountMatch(value, sense, trustDomains, policyNamespace),
  trustDomains: (value, sense, { trustDomains }) => trustDomainMatch(value, sense, trustDomains),
  ipBlocks: (value) => ({ kind: 'direct-remote-ip', cidr: blockOf(value) }),
  remoteIpBlocks: (value) => ({ kind: 'remote-ip', cidr: blockOf(value) }),
};

/** One source field's values, as alternatives; also behind the condition keys that mean the same. */
export function sourceFieldMatch(
  field: SourceField,
  values: readonly string[],
  isNegated: boolean,
  context: RuleContext,
): PrincipalIR {
  const sense = senseOf(context, isNegated);
  const match = someOf(values.map((value) => matches[field](value, sense, context)));
  return isNegated ? notOf(match) : match;
}

/** All fields of one source together; what TCP cannot see falls away there. */
export function sourceMatch(source: Source, context: RuleContext): PrincipalIR {
  const terms: PrincipalIR[] = [];
  for (const field of Object.keys(matches) as SourceField[]) {
    if (context.carries === 'tcp' && isHttpSourceField(field)) continue;
    const negated = source[negatedName(field)];
    if (source[field] !== undefined) terms.push(sourceFieldMatch(field, source[field], false, context));
    if (negated !== undefined) terms.push(sourceFieldMatch(field, negated, true, context));
  }
  return allOf(terms);
}

/** Tokens come with requests only. */
export function isHttpSourceField(field: SourceField): boolean {
  return field === 'requestPrincipals';
}

export function sourceFields(): readonly SourceField[] {
  return Object.keys(matches) as SourceField[];
}

export function negatedName<F extends string>(field: F): `not${Capitalize<F>}` {
  return `not${field.charAt(0).toUpperCase()}${field.slice(1)}` as `not${Capitalize<F>}`;
}

/**
 * An address or block in canonical form, with the length that Envoy wants. IPv4 written as IPv6 (RFC 4291, section
 * 2.5.5.2) is IPv4: so Envoy sees those who connect from there.
 */
export function blockOf(value: string): string {
  const block = canonicalBlock(value);
  if (block === undefined) throw new Error(`no address block: ${value}`);
  const [address = '', length = address.includes(':') ? '128' : '32'] = block.split('/');
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped === null || Number(length) < 96) return `${address}/${length}`;
  const bytes = mapped.slice(1).flatMap((half) => {
    const number = Number.parseInt(half, 16);
    return [number >> 8, number & 255];
  });
  return `${bytes.join('.')}/${Number(length) - 96}`;
}
