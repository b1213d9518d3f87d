import { holds } from '../evaluate/holds.ts';
import type { RequestView } from '../evaluate/request-view.ts';
import type { AccessRule, Condition, Leaf } from '../lift/rbac.ts';
import type { StringMatch } from '../model/string-match.ts';

/** A rule that fails by a single condition. */
export interface NearMiss {
  readonly rule: AccessRule;
  /** The condition that does not hold, and what the request has in its place. */
  readonly wants: string;
  readonly has: string;
}

/** The rules of which exactly one condition does not hold. */
export function nearMisses(rules: readonly AccessRule[], view: RequestView): readonly NearMiss[] {
  return rules.flatMap((rule) => {
    const failing = conjuncts(rule.condition).filter((condition) => !holds(condition, view));
    const [only] = failing;
    if (failing.length !== 1 || only === undefined) return [];
    return [{ rule, wants: describe(only), has: whatItHas(only, view) }];
  });
}

/**
 * The same of rules that deny, without those that only one condition holds back anyway: nearly every request is short of them.
 * Rules without a policy are part of the check of tokens.
 */
export function nearDenials(rules: readonly AccessRule[], view: RequestView): readonly NearMiss[] {
  const own = rules.filter(({ name, condition }) => !name.startsWith('ns[]-') && demands(condition).length > 1);
  return nearMisses(own, view);
}

/** One condition of a rule that a request meets, and what the request has. */
export interface MetCondition {
  readonly wants: string;
  readonly has: string;
}

/** Each condition of a rule that matches. */
export function metConditions({ condition }: AccessRule, view: RequestView): readonly MetCondition[] {
  return demands(condition).map((one) => ({ wants: describe(one), has: whatItHas(one, view) }));
}

function demands(condition: Condition): readonly Condition[] {
  return conjuncts(condition).filter(({ kind }) => kind !== 'any');
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(conjuncts) : [condition];
}

/** Describes a condition in one line. */
export function describe(condition: Condition): string {
  switch (condition.kind) {
    case 'any':
      return 'anything';
    case 'all': {
      const parts = condition.of.map(describe).filter((part) => part !== 'anything');
      return parts.length === 0 ? 'anything' : parts.join(' and ');
    }
    case 'some': {
      const parts = new Set(condition.of.map(describe));
      if (parts.has('anything')) return 'anything';
      return parts.size === 0 ? 'nothing' : [...parts].join(' or ');
    }
    case 'not':
      return `not (${describe(condition.of)})`;
    default:
      return describeLeaf(condition);
  }
}

function describeLeaf(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'header': {
      const { name, match } = leaf.header;
      return match === 'present' ? `${labelOf(name)} present` : `${labelOf(name)} ${text(match)}`;
    }
    case 'path':
      return `path ${text(leaf.match)}`;
    case 'path-template':
      return `path like ${leaf.template.text}`;
    case 'destination-ip':
      return `destination in ${leaf.block.text}`;
    case 'destination-port':
      return `port ${leaf.port}`;
    case 'direct-remote-ip':
    case 'remote-ip':
      return `client address in ${leaf.block.text}`;
    case 'server-name':
      return `server name ${text(leaf.match)}`;
    case 'identity':
      return leaf.match === 'any' ? 'any identity of the mesh' : `identity ${text(leaf.match)}`;
    case 'metadata':
      return `token with ${leaf.metadata.path.join('.')}`;
  }
}

/** Describes a test of a text, without what it tests. */
export function text({ kind, value }: StringMatch): string {
  const verbs = { exact: 'is', prefix: 'begins with', suffix: 'ends with', contains: 'contains', regex: 'matches' };
  return `${verbs[kind]} ${JSON.stringify(value)}`;
}

/** What people call a header or pseudo header (lower case). */
export function labelOf(header: string): string {
  const pseudo: Readonly<Record<string, string>> = { ':method': 'method', ':authority': 'host', ':path': 'path' };
  return pseudo[header] ?? `header ${header}`;
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
    case 'header': {
      const { name } = leaf.header;
      const lines = view.lines(name);
      return lines.length === 0
        ? `no ${labelOf(name)}`
        : `${labelOf(name)} ${lines.map((line) => JSON.stringify(line)).join(', ')}`;
    }
    case 'path':
    case 'path-template':
      return `path ${JSON.stringify(view.barePath)}`;
    case 'destination-ip':
      return `destination ${connection.destination.address}`;
    case 'destination-port':
      return `port ${connection.destination.port}`;
    case 'direct-remote-ip':
    case 'remote-ip':
      return `client address ${connection.source}`;
    case 'server-name':
      return `server name ${JSON.stringify(connection.tls?.serverName ?? '')}`;
    case 'identity':
      return connection.tls?.identities?.map((uri) => `identity ${uri}`).join(', ') ?? 'no identity: plaintext';
    case 'metadata':
      return view.metadata.has(leaf.metadata.filter) ? 'another token' : 'no token';
  }
}
