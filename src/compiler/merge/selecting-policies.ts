import { append } from '../../lib/append.ts';
import type { BoundPolicy } from '../../policy/policy-target.ts';
import { writtenField } from '../../policy/written-field.ts';
import { hasLabels, type Labels, selects } from '../topology/selector.ts';
import { byAge } from './policy-order.ts';

type Selecting = BoundPolicy<string>;

interface Selected {
  readonly namespace: string;
  readonly labels: Labels;
}

/**
 * RequestAuthentications or AuthorizationPolicies by what they select. All that select a workload hold, none shuts out
 * another; those of the root namespace select in every namespace, with a selector too, unless they are bound to Gateways.
 */
export class SelectingPolicies<T extends Selecting> {
  readonly #rootNamespace: string;
  readonly #whole = new Map<string, T[]>();
  /** Each policy once, under the first label that it wants. */
  readonly #byLabel = new Map<string, T[]>();

  /** There is none that could select anything. */
  readonly isEmpty: boolean;

  constructor(policies: readonly T[], rootNamespace: string) {
    this.#rootNamespace = rootNamespace;
    this.isEmpty = policies.length === 0;
    for (const policy of policies) {
      const { selector } = policy.spec;
      const [label] = hasLabels(selector) ? Object.entries(selector?.matchLabels ?? {}) : [];
      if (label === undefined) append(this.#whole, policy.namespace, policy);
      else append(this.#byLabel, entryOf(policy.namespace, ...label), policy);
    }
  }

  /** Oldest first. */
  of({ namespace, labels }: Selected): readonly T[] {
    if (this.isEmpty) return [];
    const namespaces = new Set([namespace, this.#rootNamespace]);
    const found = [...namespaces].flatMap((searched) => [
      ...(this.#whole.get(searched) ?? []),
      ...Object.entries(labels)
        .flatMap(([key, value]) => this.#byLabel.get(entryOf(searched, key, value)) ?? [])
        .filter(({ spec }) => selects(spec.selector?.matchLabels, labels)),
    ]);
    const isBound = found.some(({ target }) => target !== undefined);
    return byAge(
      isBound
        ? eachOnce(found.filter((policy) => policy.target === undefined || policy.namespace === namespace))
        : found,
    );
  }
}

/** Of what stands for the targets of one policy, the first. */
function eachOnce<T extends Selecting>(policies: readonly T[]): readonly T[] {
  return [...new Map(policies.map((policy) => [writtenField(policy, []).object, policy])).values()];
}

function entryOf(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`;
}
