import type { AuthorizationPolicy, AuthorizationRule, Operation } from '../../policy/authorization-policy.ts';
import { GrpcPorts } from '../authorization/grpc-ports.ts';
import { isIdleRule } from '../authorization/idle-rule.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { hasInnerStar, isExpression } from '../authorization/path-expression.ts';
import { readPorts, tcpPortsOf } from '../authorization/read-ports.ts';
import { ValueSet } from '../authorization/value-set.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { bySelector } from '../tokens/meeting.ts';

/** Paths are compared as Envoy normalized them. What an application takes for the same beyond that, Envoy does not know: a
 * slash at the end, letters of the other case, parameters after a semicolon. */
export const rule: Rule = {
  code: 'other-spellings-of-path',
  id: 'MP401',
  severity: 'info',
  category: 'matching',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a rule that denies a path in only one spelling',
  why: 'an application may treat another spelling as the same path, and requests with that spelling are not denied',
  hint: 'allow known paths with an ALLOW policy, or list each spelling that the application accepts',
  check({ snapshot, report }) {
    const allowed = new AllowedPaths(snapshot.policies.authorizationPolicies);
    const inForce = workloadsByPolicy(snapshot);
    const grpc = new GrpcPorts(snapshot);
    const known = new Map<AuthorizationPolicy, ReadonlyMap<string, boolean>>();
    const portsOf = (policy: AuthorizationPolicy): ReadonlyMap<string, boolean> => {
      const ports = known.get(policy) ?? readPorts(policy, inForce.get(policy) ?? [], snapshot) ?? new Map();
      known.set(policy, ports);
      return ports;
    };
    const isAllowed = (policy: AuthorizationPolicy, path: string): boolean =>
      policy.spec.action === undefined || policy.spec.action === 'ALLOW' || allowed.mayHave(policy, path);
    for (const { policy, rule: own, path: root } of allRulesOf(snapshot)) {
      const { action = 'ALLOW' } = policy.spec;
      const words = wordsOf[action];
      if (words === undefined) continue;
      const field = action === 'ALLOW' ? 'notPaths' : 'paths';
      // Of an ALLOW rule that takes everybody, allow-all-but-paths says this too.
      if (action === 'ALLOW' && (own.from ?? []).length + (own.when ?? []).length === 0) continue;
      // Of a rule that matches nothing, another finding tells.
      if (isIdleRule(own)) continue;
      const all = (own.to ?? []).flatMap(({ operation }) => operation[field] ?? []);
      if (all.length === 0) continue;
      const templates = all.filter((value) => value.includes('{')).map(expressionOf);
      const listed = new ValueSet(all);
      const isCovered = (other: string): boolean =>
        listed.covers(other) || templates.some((template) => template.test(other));
      const ports = portsOf(policy);
      const found = (own.to ?? []).flatMap(({ operation }, j) =>
        // Connections have no path, in whatever spelling: http-condition-on-tcp-port says that. Servers of gRPC know one.
        (hasNoPaths(operation, ports) || grpc.onlyOf(policy, operation) !== undefined
          ? []
          : (operation[field] ?? [])
        ).map((value, k) => {
          const others = otherSpellings(value).filter((other) => !isCovered(other) && isAllowed(policy, other));
          return { value, path: [...root, 'to', j, 'operation', field, k], others };
        }),
      );
      // One finding a rule: the values of a rule are mended together.
      const first = found.find(({ others }) => others.length > 0);
      if (first === undefined) continue;
      const spellings = first.others.map((other) => `"${other}"`).join(', ');
      const misses = field === 'paths' ? 'does not cover' : 'does not except';
      const open = found.filter(({ others }) => others.length > 0).length - 1;
      const more = open === 0 ? '' : `; so it is with ${open} more of its paths`;
      const message = `the rule ${misses} ${spellings}, which an application may treat as "${first.value}"${more}`;
      report({ object: policy, path: first.path, message, ...words });
    }
  },
};

/** Whether a workload reads none of the ports of an operation as HTTP; another rule reports a mistyped port. */
function hasNoPaths(operation: Operation, read: ReadonlyMap<string, boolean>): boolean {
  const isNowhereHttp = read.size > 0 && ![...read.values()].includes(true);
  return isNowhereHttp || tcpPortsOf(operation, read).length > 0;
}

/** What another spelling does, by the action; an AUDIT policy decides nothing. */
const wordsOf: Readonly<Record<string, { readonly why?: string; readonly hint?: string }>> = {
  DENY: {},
  ALLOW: {
    why: 'an application may treat another spelling as the same path, and requests with that spelling are allowed',
    hint: 'list what is allowed in "paths" instead of what is not in "notPaths"',
  },
  CUSTOM: {
    why: 'an application may treat another spelling as the same path, and requests with that spelling do not go to the external authorizer',
    hint: 'list each spelling that the application accepts',
  },
};

/** Paths that the ALLOW policies of one selector let through. */
interface Allowed {
  /** Some rule asks for no path. */
  readonly isEverything: boolean;
  readonly paths: ValueSet;
}

/** Paths that the ALLOW policies beside a policy let through: where there are such policies, no other path is. */
class AllowedPaths {
  readonly #bySelector = new Map<string, Allowed>();
  /** How many selectors of ALLOW policies there are, by namespace. */
  readonly #selectors = new Map<string, number>();

  constructor(policies: readonly AuthorizationPolicy[]) {
    for (const [key, group] of bySelector(policies.filter(({ spec: { action = 'ALLOW' } }) => action === 'ALLOW'))) {
      const { namespace = '' } = group[0] ?? {};
      this.#selectors.set(namespace, (this.#selectors.get(namespace) ?? 0) + 1);
      this.#bySelector.set(key, allowedBy(group.flatMap(({ spec: { rules = [] } }) => rules)));
    }
  }

  /** Whether a path may get through; with an ALLOW policy of another selector it is not known, so it may. */
  mayHave(policy: AuthorizationPolicy, path: string): boolean {
    const [[key] = ['']] = bySelector([policy]);
    const allowed = this.#bySelector.get(key);
    if (allowed === undefined || this.#selectors.get(policy.namespace) !== 1) return true;
    return allowed.isEverything || allowed.paths.covers(path);
  }
}

function allowedBy(rules: readonly AuthorizationRule[]): Allowed {
  const lists = rules.flatMap(({ to = [] }) => (to.length === 0 ? [undefined] : to.map((it) => it.operation.paths)));
  return {
    isEverything: lists.includes(undefined),
    paths: new ValueSet(lists.flatMap((list) => list ?? [])),
  };
}

/** What a template takes: `{*}` one segment, `{**}` any text. */
function expressionOf(template: string): RegExp {
  const literal = template.replaceAll(/[^\w/{}*]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('{**}', '.*').replaceAll('{*}', '[^/]+')}$`);
}

/** Examples, with a segment in place of `{*}`; a path that ends in a star takes everything that follows it already. */
function otherSpellings(value: string): readonly string[] {
  // Of what begins otherwise, and of a star inside, reading says what is wrong; of an expression, another rule.
  if (!/^[/*{]/.test(value) || isExpression(value) || hasInnerStar(value)) return [];
  const path = value.replace(/\{\*\*\}$/, '*').replace(/\{\*\*?\}/g, 'x');
  const isOpen = path.endsWith('*');
  const text = path.startsWith('*') ? path.slice(1) : isOpen ? path.slice(0, -1) : path;
  const upper = text.toUpperCase();
  const otherCase = upper === text ? text.toLowerCase() : upper;
  const isFolder = text.endsWith('/');
  const withoutSlash = isFolder ? [text.slice(0, -1)] : [];
  const ends = isOpen ? withoutSlash : [...(isFolder ? withoutSlash : [`${text}/`]), `${text};x`];
  return [...ends, ...(otherCase === text ? [] : [otherCase])].filter((other) => other !== '');
}
