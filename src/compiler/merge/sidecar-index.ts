import { append } from '../../lib/append.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import type { Workload } from '../topology/model.ts';
import { type Labels, selects } from '../topology/selector.ts';
import { type IngressPort, ingressPorts } from './ingress.ts';
import { byAge } from './policy-order.ts';

/** The Sidecars that have a say in one workload, oldest first in each level: the first of a level is in force. */
export interface SidecarLevels {
  readonly workload: readonly Sidecar[];
  readonly namespace: readonly Sidecar[];
  readonly mesh: readonly Sidecar[];
}

const noPorts: readonly IngressPort[] = [];

const none: SidecarLevels = { workload: [], namespace: [], mesh: [] };

/** Sidecars by what they select. One with a selector holds in its own namespace only, in the root namespace too. */
export class SidecarIndex {
  readonly #rootNamespace: string;
  readonly #whole = new Map<string, Sidecar[]>();
  readonly #selecting = new Map<string, Sidecar[]>();

  constructor(sidecars: readonly Sidecar[], rootNamespace: string) {
    this.#rootNamespace = rootNamespace;
    for (const sidecar of byAge(sidecars)) {
      append(hasSelector(sidecar) ? this.#selecting : this.#whole, sidecar.namespace, sidecar);
    }
  }

  /** Gateways have none: what they reach is what their routes name. */
  levelsOf({ namespace, labels, role }: Pick<Workload, 'namespace' | 'labels' | 'role'>): SidecarLevels {
    if (role === 'router') return none;
    const selecting = this.#selecting.get(namespace) ?? [];
    return {
      workload: selecting.filter((sidecar) => selects(selectedLabels(sidecar), labels)),
      namespace: namespace === this.#rootNamespace ? [] : (this.#whole.get(namespace) ?? []),
      mesh: this.#whole.get(this.#rootNamespace) ?? [],
    };
  }

  /** Those in force on a workload, the most specific first: at most one a level. */
  inForce(workload: Pick<Workload, 'namespace' | 'labels' | 'role'>): readonly Sidecar[] {
    const { workload: selecting, namespace, mesh } = this.levelsOf(workload);
    return [selecting[0], namespace[0], mesh[0]].filter((sidecar) => sidecar !== undefined);
  }

  /** Ports that the most specific Sidecar names; undeclared, they are left to what services say. */
  ingressOf(workload: Pick<Workload, 'namespace' | 'labels' | 'role'>): readonly IngressPort[] {
    const [first] = this.inForce(workload);
    return first === undefined ? noPorts : ingressPorts(first);
  }

  /** Those with a selector, oldest first in each namespace. */
  get selecting(): readonly Sidecar[] {
    return [...this.#selecting.values()].flat();
  }

  /** Each namespace with the Sidecars that hold for all of it, oldest first. */
  get wholeNamespaces(): ReadonlyMap<string, readonly Sidecar[]> {
    return this.#whole;
  }
}

/** Undefined selects every workload of the namespace. */
export function selectedLabels({ spec }: Sidecar): Labels | undefined {
  return spec.workloadSelector?.labels;
}

function hasSelector(sidecar: Sidecar): boolean {
  return Object.keys(selectedLabels(sidecar) ?? {}).length > 0;
}
