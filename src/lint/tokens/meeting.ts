import { append } from '../../lib/append.ts';
import type { MeshObject, WorkloadSelector } from '../../policy/object.ts';

/** A policy that holds for the workloads which its selector names. */
export interface SelectingPolicy extends MeshObject<string> {
  readonly spec: { readonly selector?: WorkloadSelector };
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
      own.add(labelsOf(policy));
      this.#all.add(labelsOf(policy));
    }
  }

  mayMeet(policy: SelectingPolicy): boolean {
    const labels = labelsOf(policy);
    if (policy.namespace === this.#root) return this.#all.mayMeet(labels);
    return [policy.namespace, this.#root].some((namespace) => this.#byNamespace.get(namespace)?.mayMeet(labels));
  }
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ spec }: SelectingPolicy): Labels {
  return spec.selector?.matchLabels ?? {};
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

/** Policies of one namespace and one selector, for which nothing else decides where they hold. */
export function bySelector<T extends SelectingPolicy>(policies: Iterable<T>): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const policy of policies) {
    const labels = Object.entries(labelsOf(policy)).sort(([a], [b]) => (a < b ? -1 : 1));
    append(groups, JSON.stringify([policy.namespace, labels]), policy);
  }
  return groups;
}
