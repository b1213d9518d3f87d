import { isSameList } from '../../diagnostics/kept.ts';
import { append } from '../../lib/append.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { PolicySet } from '../../policy/policy-set.ts';

type Policies = readonly MeshObject<string>[];

/**
 * What stands in for all policies by which the inbound side of a workload may be decided: those of its own namespace and of
 * the root namespace. The same object as long as these are the same, whatever others do.
 */
export class NamespacePolicies {
  readonly #rootNamespace: string;
  readonly #policies: ReadonlyMap<string, Policies>;
  readonly #tokens = new Map<string, object>();
  #previous: NamespacePolicies | undefined;

  constructor(policies: PolicySet, rootNamespace: string, previous: NamespacePolicies | undefined) {
    const byNamespace = new Map<string, MeshObject<string>[]>();
    const { peerAuthentications, requestAuthentications, authorizationPolicies, sidecars } = policies;
    const lists = [peerAuthentications, requestAuthentications, authorizationPolicies, sidecars];
    for (const list of [...lists, policies.destinationRules, policies.proxyConfigs]) {
      for (const policy of list) append(byNamespace, policy.namespace, policy);
    }
    this.#rootNamespace = rootNamespace;
    this.#policies = byNamespace;
    this.#previous = previous;
    // What is older is asked no more.
    if (previous !== undefined) previous.#previous = undefined;
  }

  of(namespace: string): object {
    const token = this.#tokens.get(namespace) ?? this.#tokenBefore(namespace) ?? {};
    this.#tokens.set(namespace, token);
    return token;
  }

  #tokenBefore(namespace: string): object | undefined {
    const before = this.#previous;
    if (before === undefined || before.#rootNamespace !== this.#rootNamespace) return undefined;
    const isSame = [namespace, this.#rootNamespace].every((it) => isSameList(before.#in(it), this.#in(it)));
    return isSame ? before.#tokens.get(namespace) : undefined;
  }

  #in(namespace: string): Policies {
    return this.#policies.get(namespace) ?? none;
  }
}

const none: Policies = [];
