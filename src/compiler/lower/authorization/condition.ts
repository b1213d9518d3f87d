import type { Condition } from '../../../policy/authorization-policy.ts';
import type { PermissionIR, PrincipalIR } from '../../ir/rbac.ts';
import { allOf, notOf, someOf } from './combine.ts';
import { type RuleContext, senseOf } from './context.ts';
import { headerMatch, methodMatch } from './headers.ts';
import { hostsMatch } from './hosts.ts';
import { patternOf, type Sense, textMatch } from './pattern.ts';
import { blockOf, type SourceField, sourceFieldMatch } from './source.ts';
import { claimMatch } from './tokens.ts';

/** Both sides of what a condition asks: of the request or connection, and of who makes it. */
export interface ConditionMatch {
  readonly permission: PermissionIR;
  readonly principal: PrincipalIR;
}

type Term = PermissionIR | PrincipalIR;

/** What a key is about, and how its values are matched. */
interface Attribute {
  readonly side: keyof ConditionMatch;
  readonly match: (values: readonly string[], sense: Sense, context: RuleContext) => Term;
}

/** Keys that mean the same as a field of a source. */
const sourceKeys: Readonly<Record<string, SourceField>> = {
  'source.ip': 'ipBlocks',
  'remote.ip': 'remoteIpBlocks',
  'source.namespace': 'namespaces',
  'source.principal': 'principals',
  'source.serviceAccount': 'serviceAccounts',
  'source.trustDomain': 'trustDomains',
  'request.auth.principal': 'requestPrincipals',
};

const any = { kind: 'any' } as const;

/** One `when` entry; what TCP cannot see falls away there. */
export function conditionMatch(condition: Condition, context: RuleContext): ConditionMatch {
  if (context.carries === 'tcp' && isHttpCondition(condition)) return { permission: any, principal: any };
  const { key, values, notValues } = condition;
  const field = Object.hasOwn(sourceKeys, key) ? sourceKeys[key] : undefined;
  const attribute = field === undefined ? attributeOf(key) : undefined;
  const match = (of: readonly string[], isNegated: boolean): Term => {
    if (field !== undefined) return sourceFieldMatch(field, of, isNegated, context);
    if (attribute === undefined) throw new Error(`nothing is known by ${key}`);
    const term = attribute.match(of, senseOf(context, isNegated), context);
    return isNegated ? notOf(term) : term;
  };
  const term = allOf([
    ...(values === undefined ? [] : [match(values, false)]),
    ...(notValues === undefined ? [] : [match(notValues, true)]),
  ]);
  // The attribute's side says which of the two it is.
  return attribute?.side === 'permission'
    ? { permission: term as PermissionIR, principal: any }
    : { permission: any, principal: term as PrincipalIR };
}

/** Headers and tokens come with requests only. */
export function isHttpCondition({ key }: Condition): boolean {
  return key.startsWith('request.');
}

/** The key was checked with the policy's schema, so what is not listed here is a bug. */
function attributeOf(key: string): Attribute {
  const [, base = key, name = ''] = /^([^[]*)\[(.*)\]$/.exec(key) ?? [];
  switch (base) {
    case 'request.headers':
      return headerAttribute(name.toLowerCase());
    case 'request.auth.claims':
      return { side: 'principal', match: eachBy((value) => claimMatch(name.split(']['), value)) };
    case 'request.auth.audiences':
      return { side: 'principal', match: eachBy((value) => claimMatch(['aud'], value)) };
    case 'request.auth.presenter':
      return { side: 'principal', match: eachBy((value) => claimMatch(['azp'], value)) };
    case 'destination.ip':
      return { side: 'permission', match: eachBy((value) => ({ kind: 'destination-ip', cidr: blockOf(value) })) };
    case 'destination.port':
      return { side: 'permission', match: eachBy((value) => ({ kind: 'destination-port', port: Number(value) })) };
    case 'connection.sni':
      return {
        side: 'permission',
        match: eachBy((value) => ({ kind: 'server-name', match: textMatch(patternOf(value), value !== '*') })),
      };
  }
  const filter = /^experimental\.(envoy\.filters\..+)$/.exec(base)?.[1];
  if (filter === undefined) throw new Error(`unknown condition key ${key}`);
  return { side: 'permission', match: eachBy((value) => metadataMatch(filter, name, value)) };
}

function eachBy(match: (value: string, sense: Sense) => Term): Attribute['match'] {
  return (values, sense) => someOf(values.map((value) => match(value, sense)));
}

/** What the compiler knows by another name is matched as there. */
function headerAttribute(name: string): Attribute {
  if (name === 'host' || name === ':authority') return { side: 'permission', match: hostsMatch };
  if (name === ':method') return { side: 'permission', match: eachBy(methodMatch) };
  return { side: 'principal', match: eachBy((value, sense) => headerMatch(name, value, sense)) };
}

/** `[v]` asks for a member of a list. */
function metadataMatch(filter: string, key: string, value: string): PermissionIR {
  const member = /^\[(.*)\]$/.exec(value)?.[1];
  const match = textMatch(patternOf(member ?? value));
  return { kind: 'metadata', filter, path: [key], match, inList: member !== undefined };
}
