import type { DecidingField, OriginsFile } from '../../../contracts/origins-file.ts';
import type { RulePredicates } from '../../../contracts/rule-predicates.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Fragment } from '../../../envoy/api/fragment.ts';
import type { Listener } from '../../lift/listener.ts';
import type { AccessFilter, AccessRules } from '../../lift/rbac.ts';
import type { LiftedProxy } from '../../lift-proxy.ts';
import type { World } from '../../world.ts';

/** The object that a rule of Envoy was compiled from, and its number there. */
export interface RuleName {
  readonly namespace: string;
  readonly name: string;
  readonly index: number;
}

/** Where a rule is in force. */
export interface RulePlace {
  readonly carries: 'http' | 'tcp';
  readonly isGateway: boolean;
}

/** A rule as its object has it. */
export interface WrittenRule {
  readonly predicates: RulePredicates;
  /** Where a field of its object stands, and its text. */
  fieldAt(path: JsonPath): { readonly field: DecidingField; readonly value: string };
}

/** A mesh whose coverage is measured. */
export interface CoveredMesh {
  readonly world: World;
  readonly originsOf: (workload: string) => OriginsFile;
  /** Every policy of the inputs, wherever it is in force. */
  readonly policies: readonly DecidingField[];
  /** Undefined for a rule that no object of the inputs has. */
  readonly ruleOf: (name: RuleName, place: RulePlace) => WrittenRule | undefined;
}

/** The rule of a policy that a rule of Envoy has its name from, also one that asks an external authorizer. */
export function ruleNamed(name: string): RuleName | undefined {
  const [, namespace, policy, index] =
    /^(?:mesh-ext-authz-.*-)?ns\[([^\]]+)\]-policy\[([^\]]+)\]-rule\[(\d+)\]$/.exec(name) ?? [];
  if (namespace === undefined || policy === undefined) return undefined;
  return { namespace, name: policy, index: Number(index) };
}

/** Rules of one proxy that decide about something, and what its chains carry there. Dry runs don't. */
export function* rulesInForce(
  proxy: LiftedProxy,
): Iterable<{ readonly name: string; readonly carries: RulePlace['carries'] }> {
  for (const listener of proxy.listeners.values()) {
    for (const { filters } of chainsOf(listener)) {
      for (const filter of filters) {
        if (filter.kind === 'rbac') yield* namesIn(filter.access, 'tcp');
        if (filter.kind !== 'http') continue;
        for (const own of filter.manager.filters) if (own.kind === 'rbac') yield* namesIn(own.access, 'http');
      }
    }
  }
}

/** Token filters of one proxy, with the names of their listeners. */
export function* tokenFilters(proxy: LiftedProxy): Iterable<{ readonly listener: string; readonly at: Fragment }> {
  for (const listener of proxy.listeners.values()) {
    for (const { filters } of chainsOf(listener)) {
      for (const filter of filters) {
        if (filter.kind !== 'http') continue;
        for (const own of filter.manager.filters) if (own.kind === 'jwt') yield { listener: listener.name, at: own.at };
      }
    }
  }
}

function chainsOf({ chains, defaultChain }: Listener): Listener['chains'] {
  return defaultChain === undefined ? chains : [...chains, defaultChain];
}

function* namesIn(
  { rules, shadow }: AccessFilter,
  carries: RulePlace['carries'],
): Iterable<{ readonly name: string; readonly carries: RulePlace['carries'] }> {
  const of = (all: AccessRules | undefined): readonly string[] => all?.rules.map(({ name }) => name) ?? [];
  const asking = of(shadow?.rules).filter((name) => name.startsWith('mesh-ext-authz-'));
  for (const name of [...of(rules), ...asking]) yield { name, carries };
}
