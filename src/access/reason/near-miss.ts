import { metadataAt } from '../evaluate/conditions.ts';
import { knownTruth } from '../evaluate/holds.ts';
import type { RequestView } from '../evaluate/request-view.ts';
import type { MetadataMatch } from '../lift/matchers.ts';
import type { AccessRule, Condition, Leaf } from '../lift/rbac.ts';
import { describe, labelOf, metadataLabel, tokenFilter } from './condition-words.ts';

/** A rule that fails by a single condition. */
export interface NearMiss {
  readonly rule: AccessRule;
  /** The condition that does not hold, and what the request has in its place. */
  readonly wants: string;
  readonly has: string;
  /** Names of what the condition looks at. */
  readonly properties: ReadonlySet<string>;
}

/** The rules of which exactly one condition does not hold, and could. */
export function nearMisses(rules: readonly AccessRule[], view: RequestView): readonly NearMiss[] {
  return rules.flatMap((rule) => {
    const failing = demandsOf(rule, isOneAddress(view)).filter((condition) => knownTruth(condition, view) !== true);
    const [only] = failing;
    if (failing.length !== 1 || only === undefined || isNever(only) || knownTruth(only, view) === undefined) return [];
    return [{ rule, wants: describe(only), has: whatItHas(only, view), properties: propertiesOf(only) }];
  });
}

/** Whether it holds for no request. */
function isNever(condition: Condition): boolean {
  switch (condition.kind) {
    case 'not':
      return condition.of.kind === 'any';
    case 'some':
      return condition.of.every(isNever);
    case 'all':
      return condition.of.some(isNever);
    default:
      return false;
  }
}

/**
 * The same of rules that deny. Nearly every request is short of those that have one condition: they are left out, unless it
 * looks at one of the properties that a request would have to change. Rules without a policy are part of the check of tokens.
 */
export function nearDenials(
  rules: readonly AccessRule[],
  view: RequestView,
  changing: ReadonlySet<string> = new Set(),
): readonly NearMiss[] {
  const own = rules.filter((rule) => !rule.name.startsWith('ns[]-'));
  // A client that has to begin with TLS to show a certificate also sends a server name.
  const isFirstTls = changing.has('identity') && view.connection.tls === undefined;
  const altered = isFirstTls ? new Set([...changing, 'server-name']) : changing;
  return nearMisses(own, view).filter(
    ({ rule, properties }) => demandsOf(rule, isOneAddress(view)).length > 1 || meet(properties, altered),
  );
}

/** One condition of a rule that a request meets, and what the request has. */
export interface MetCondition {
  readonly wants: string;
  readonly has: string;
}

/** Each condition of a rule that matches; of several choices those that the request meets. */
export function metConditions(rule: AccessRule, view: RequestView): readonly MetCondition[] {
  return demandsOf(rule, false).map((one) => {
    const met = metPart(one, view);
    return { wants: describe(met), has: whatItHas(met, view) };
  });
}

function metPart(condition: Condition, view: RequestView): Condition {
  switch (condition.kind) {
    case 'all':
      return { kind: 'all', of: condition.of.map((one) => metPart(one, view)) };
    case 'some':
      return {
        kind: 'some',
        of: condition.of.filter((one) => knownTruth(one, view) === true).map((one) => metPart(one, view)),
      };
    default:
      return condition;
  }
}

/**
 * What a rule asks for, all of which must hold. What it asks of one property of requests is one demand: a request that is
 * changed to meet a part of it could fail by another part. `isOneAddress`: the peer is the client, so that both have one address.
 */
export function demandsOf({ condition }: AccessRule, isOneAddress: boolean): readonly Condition[] {
  let groups: readonly { readonly of: readonly Condition[]; readonly properties: ReadonlySet<string> }[] = [];
  for (const one of conjuncts(condition)) {
    const names = propertiesOf(one);
    const own = isOneAddress
      ? new Set([...names].map((name) => (name === 'remote-ip' ? 'direct-remote-ip' : name)))
      : names;
    const isSame = ({ properties }: (typeof groups)[number]): boolean => meet(properties, own);
    const joined = groups.filter(isSame);
    const properties = new Set([...joined.flatMap((group) => [...group.properties]), ...own]);
    const group = { of: [...joined.flatMap(({ of }) => of), one], properties };
    groups = [...groups.filter((other) => !isSame(other)), group];
  }
  return groups.map(({ of }) => (of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }));
}

/** Whether whoever changes the address of the peer changes that of the client, too: no forwarding header tells another one. */
function isOneAddress({ connection, remoteText }: RequestView): boolean {
  return connection.source === remoteText;
}

function meet(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((one) => others.has(one));
}

/** Names of what a condition looks at. */
function propertiesOf(condition: Condition): ReadonlySet<string> {
  return new Set(leavesOf(condition).map(propertyOf));
}

function conjuncts(condition: Condition): readonly Condition[] {
  if (condition.kind === 'all') return condition.of.flatMap(conjuncts);
  return condition.kind === 'any' ? [] : [condition];
}

function propertyOf(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'header':
      return labelOf(leaf.header.name);
    case 'path-template':
      return 'path';
    // A token is one thing: whoever gets another one has other claims.
    case 'metadata':
      return leaf.metadata.filter;
    default:
      return leaf.kind;
  }
}

/** What the request has of all that a condition looks at. */
function whatItHas(condition: Condition, view: RequestView): string {
  return [...new Set(leavesOf(condition).map((leaf) => leafValue(leaf, view)))].join(', ');
}

function leavesOf(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case 'any':
      return [];
    case 'all':
    case 'some':
      return condition.of.flatMap(leavesOf);
    case 'not':
      return leavesOf(condition.of);
    default:
      return [condition];
  }
}

function leafValue(leaf: Leaf, view: RequestView): string {
  const { connection } = view;
  switch (leaf.kind) {
    case 'header':
      return headerValue(leaf.header.name, view);
    case 'path':
    case 'path-template':
      return `path ${JSON.stringify(view.barePath)}`;
    case 'destination-ip':
      return `destination ${connection.destination.address}`;
    case 'destination-port':
      return `port ${connection.destination.port}`;
    case 'direct-remote-ip':
      return `peer address ${connection.source}`;
    case 'remote-ip':
      return `client address ${view.remoteText}`;
    case 'server-name':
      return `server name ${JSON.stringify(connection.tls?.serverName ?? '')}`;
    case 'identity':
      return identityOf(view);
    case 'metadata':
      return metadataValue(leaf.metadata, view);
  }
}

function metadataValue(match: MetadataMatch, { metadata, skipsTokens }: RequestView): string {
  if (match.filter === tokenFilter && !metadata.has(tokenFilter)) {
    return skipsTokens ? 'no token: tokens of preflight requests are not read' : 'no token';
  }
  const found = metadataAt(match, metadata);
  return found === undefined ? `no ${metadataLabel(match)}` : `${metadataLabel(match)} ${JSON.stringify(found)}`;
}

function headerValue(name: string, view: RequestView): string {
  const lines = view.lines(name);
  const label = labelOf(name);
  const value = lines.length === 0 ? `no ${label}` : `${label} ${lines.map((line) => JSON.stringify(line)).join(', ')}`;
  const claims = view.claimsOf(name);
  return claims === undefined ? value : `${value} (it comes from ${[...new Set(claims)].join(' or ')} alone)`;
}

function identityOf({ connection: { tls } }: RequestView): string {
  if (tls === undefined) return 'no identity: plaintext';
  return tls.identities?.map((uri) => `identity ${uri}`).join(', ') ?? 'no identity: no certificate that was verified';
}
