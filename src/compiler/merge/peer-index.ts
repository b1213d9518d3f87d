import { append } from '../../lib/append.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Workload } from '../topology/model.ts';
import { hasLabels, selects } from '../topology/selector.ts';
import { byAge } from './policy-order.ts';

/** The policies that have a say in one workload, oldest first in each level: the first of a level is in force. */
export interface PeerLevels {
  readonly mesh: readonly PeerAuthentication[];
  readonly namespace: readonly PeerAuthentication[];
  readonly workload: readonly PeerAuthentication[];
}

/** PeerAuthentication objects by the scope that they hold for. */
export class PeerIndex {
  readonly #rootNamespace: string;
  readonly #whole = new Map<string, PeerAuthentication[]>();
  /** Each selecting policy once, under the first label that it wants. */
  readonly #byLabel = new Map<string, PeerAuthentication[]>();
  /** Rules of lint ask for the same workload once for each policy that selects it. */
  readonly #levels = new WeakMap<Workload, PeerLevels>();
  /** Policies with a selector that hold for workloads of their namespace, oldest first. */
  readonly selecting: readonly PeerAuthentication[];
  /** Policies that hold for nothing: a selector in the root namespace. */
  readonly ineffective: readonly PeerAuthentication[];

  constructor(policies: readonly PeerAuthentication[], rootNamespace: string) {
    this.#rootNamespace = rootNamespace;
    const ineffective: PeerAuthentication[] = [];
    const selecting: PeerAuthentication[] = [];
    for (const policy of byAge(policies)) {
      if (!hasLabels(policy.spec.selector)) append(this.#whole, policy.namespace, policy);
      else if (policy.namespace === rootNamespace) ineffective.push(policy);
      else {
        const [label] = Object.entries(policy.spec.selector?.matchLabels ?? {});
        selecting.push(policy);
        append(this.#byLabel, `${policy.namespace}\n${label?.join('\n')}`, policy);
      }
    }
    this.ineffective = ineffective;
    this.selecting = selecting;
  }

  /** Mesh and namespace level alone: what a client can know of a service of the namespace. */
  levelsOfNamespace(namespace: string): PeerLevels {
    return {
      mesh: this.#whole.get(this.#rootNamespace) ?? [],
      namespace: namespace === this.#rootNamespace ? [] : (this.#whole.get(namespace) ?? []),
      workload: [],
    };
  }

  levelsOf(workload: Workload): PeerLevels {
    const levels = this.#levels.get(workload) ?? this.#lookUp(workload);
    this.#levels.set(workload, levels);
    return levels;
  }

  /** Each namespace with the policies that hold for all of it, oldest first. */
  get wholeNamespaces(): Iterable<readonly [string, readonly PeerAuthentication[]]> {
    return this.#whole;
  }

  #lookUp(workload: Workload): PeerLevels {
    const found: PeerAuthentication[] = [];
    for (const [key, value] of Object.entries(workload.labels)) {
      for (const policy of this.#byLabel.get(`${workload.namespace}\n${key}\n${value}`) ?? []) {
        if (selects(policy.spec.selector?.matchLabels, workload.labels)) found.push(policy);
      }
    }
    return { ...this.levelsOfNamespace(workload.namespace), workload: found.length > 1 ? byAge(found) : found };
  }
}
