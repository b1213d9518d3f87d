import type { Possibility } from '../../access/evaluate/choices.ts';
import { changingOf } from '../../access/explanation.ts';
import type { Passage, Step } from '../../access/outcome.ts';
import { decidersOf } from '../../access/reason/deciders.ts';
import type { SentCase } from '../../gauge/gauge-case.ts';
import type { GaugedMesh } from '../gauged-mesh.ts';
import { type NamedRule, namedRule, standsThere } from './without.ts';

/** What `explain` says of a request about one rule of a policy. */
export interface Claim {
  readonly mesh: GaugedMesh;
  readonly sent: SentCase;
  /** The rules have seen the connection alone, and nothing of a request. */
  readonly isOfConnection: boolean;
  /** `met`: it decided. `short`: it would have let the request pass. `nearly`: it would have denied it. */
  readonly kind: 'met' | 'short' | 'nearly';
  readonly rule: NamedRule;
  /** Name of the rule in Envoy. */
  readonly id: string;
  /** The one condition that does not hold; empty where all do. */
  readonly wants: string;
  readonly has: string;
  /** The conditions that rules that deny are short of. */
  readonly denied: readonly string[];
}

/** The claims of a prediction; and of a rule that decided, what is wrong with its place in the files. */
export function claimsOf(
  mesh: GaugedMesh,
  sent: SentCase,
  { result }: Possibility<Passage>,
): { readonly claims: readonly Claim[]; readonly misplaced: readonly string[] } {
  const steps = result.steps.filter(({ action }) => action === 'ALLOW' || action === 'DENY');
  const last = result.steps.at(-1);
  const changing = changingOf(result.steps);
  const denied = steps.flatMap(({ action, nearMisses }) =>
    action === 'DENY' ? (nearMisses?.(changing) ?? []).map(({ wants }) => wants) : [],
  );
  const claims: Claim[] = [];
  const misplaced: string[] = [];
  for (const step of steps) {
    const rule = namedRule(step.decider);
    const isOfConnection = step.station === 'network-access';
    // Envoy does not tell which rule let a connection pass.
    if (rule !== undefined && (step.action === 'DENY' || step.station === 'access')) {
      claims.push({
        ...{ mesh, sent, isOfConnection, denied },
        kind: 'met',
        rule,
        id: step.decider,
        wants: '',
        has: '',
      });
      misplaced.push(...placeFaults(mesh, step, rule));
    }
    if (step.action === 'ALLOW' && step !== last) continue;
    for (const { rule: near, wants, has } of step.nearMisses?.(changing) ?? []) {
      const named = namedRule(near.name);
      const kind = step.action === 'ALLOW' ? 'short' : 'nearly';
      if (named === undefined) continue;
      claims.push({ mesh, sent, isOfConnection, kind, rule: named, id: near.name, wants, has, denied });
    }
  }
  return { claims, misplaced };
}

function placeFaults(mesh: GaugedMesh, { at, decider }: Step, rule: NamedRule): readonly string[] {
  const name = mesh.role === 'gateway' ? undefined : 'virtualInbound';
  const origins = mesh.origins();
  const found = (name === undefined ? Object.keys(origins.listeners) : [name]).flatMap((listener) =>
    decidersOf(origins, listener, at),
  );
  const own = found.filter(
    (one) =>
      one.kind === 'AuthorizationPolicy' &&
      one.namespace === rule.namespace &&
      one.name === rule.name &&
      one.field === `spec.rules[${rule.index}]`,
  );
  if (own.some((one) => standsThere(mesh.text, one))) return [];
  return [`${decider} does not stand where it is said to: ${JSON.stringify(found)}`];
}
