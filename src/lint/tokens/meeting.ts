import type { MeshObject, WorkloadSelector } from '../../policy/object.ts';
import type { BoundTarget } from '../../policy/policy-target.ts';
import { writtenField } from '../../policy/written-field.ts';

/** A policy that holds for the workloads which its selector names. */
export interface SelectingPolicy extends MeshObject<string> {
  readonly spec: { readonly selector?: WorkloadSelector };
  readonly target?: BoundTarget;
}

/**
 * Tells whether some of a list of policies may hold for a workload of another policy, by namespaces and labels alone. In
 * doubt it may: two selectors without a common key, or with one equal label, are taken to meet.
 */
export class Meeting {
  readonly #byNamespace = new Map<string, Selectors>();
  readonly #all = new Selectors();
  readonly #root: string;

  constructor(policies: Iterable<SelectingPolicy>, rootNamespace: string) {
    this.#root = rootNamespace;
    for (const policy of policies) {
      const own = this.#byNamespace.get(policy.namespace) ?? new Selectors();
      this.#byNamespace.set(policy.namespace, own);
      own.add(certainLabelsOf(policy));
      this.#all.add(certainLabelsOf(policy));
    }
  }

  mayMeet(policy: SelectingPolicy): boolean {
    const labels = certainLabelsOf(policy);
    if (policy.namespace === this.#root) return this.#all.mayMeet(labels);
    return [policy.namespace, this.#root].some((namespace) => this.#byNamespace.get(namespace)?.mayMeet(labels));
  }
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ spec }: SelectingPolicy): Labels {
  return spec.selector?.matchLabels ?? {};
}

/** A Gateway that is not known may be served by any workload. */
function certainLabelsOf(policy: SelectingPolicy): Labels {
  return policy.target?.fault === undefined ? labelsOf(policy) : {};
}

/** The selectors of one namespace. */
class Selectors {
  readonly #pairs = new Set<string>();
  /** Each set of keys once: a namespace has few. */
  readonly #keys = new Map<string, readonly string[]>();

  add(labels: Labels): void {
    for (const pair of Object.entries(labels)) this.#pairs.add(pair.join('='));
    const keys = Object.keys(labels).sort();
    this.#keys.set(keys.join(), keys);
  }

  mayMeet(labels: Labels): boolean {
    if (Object.entries(labels).some((pair) => this.#pairs.has(pair.join('=')))) return true;
    return [...this.#keys.values()].some((keys) => keys.every((key) => labels[key] === undefined));
  }
}

/**
 * Policies of one namespace and one selector, for which nothing else decides where they hold. Those that are bound to Gateways
 * are apart: in the root namespace a selector reaches further, and a Gateway that is not known may be served by other
 * workloads. A policy for several Gateways of the same workloads is there once.
 */
export function bySelector<T extends SelectingPolicy>(policies: Iterable<T>): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, Map<MeshObject<string>, T>>();
  for (const policy of policies) {
    const labels = Object.entries(labelsOf(policy)).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([policy.namespace, labels, targetOf(policy)]);
    const group = groups.get(key) ?? new Map<MeshObject<string>, T>();
    const { object } = writtenField(policy, []);
    if (!group.has(object)) group.set(object, policy);
    groups.set(key, group);
  }
  return new Map([...groups].map(([key, group]) => [key, [...group.values()]]));
}

function targetOf({ target }: SelectingPolicy): string | undefined {
  return target?.fault === undefined ? target && 'served' : target.gateway;
}
