import { append } from '../../lib/append.ts';
import type { ProxyConfig } from '../../policy/proxy-config.ts';
import type { Workload } from '../topology/model.ts';
import { hasLabels, selects } from '../topology/selector.ts';
import { byAge } from './policy-order.ts';

/** The ProxyConfigs of one workload by level, those of a level oldest first: the first is in force. */
export interface ProxyConfigLevels {
  readonly mesh: readonly ProxyConfig[];
  readonly namespace: readonly ProxyConfig[];
  readonly workload: readonly ProxyConfig[];
}

/** ProxyConfigs by what they hold for. A selector selects in its own namespace alone, that of the root namespace too. */
export class ProxyConfigIndex {
  readonly #rootNamespace: string;
  readonly #whole = new Map<string, ProxyConfig[]>();
  readonly #selecting = new Map<string, ProxyConfig[]>();

  constructor(configs: readonly ProxyConfig[], rootNamespace: string) {
    this.#rootNamespace = rootNamespace;
    for (const config of byAge(configs)) {
      append(hasLabels(config.spec.selector) ? this.#selecting : this.#whole, config.namespace, config);
    }
  }

  /** Those without a selector by namespace, oldest first. */
  get whole(): ReadonlyMap<string, readonly ProxyConfig[]> {
    return this.#whole;
  }

  get hasSelecting(): boolean {
    return this.#selecting.size > 0;
  }

  levelsOf({ namespace, labels }: Pick<Workload, 'namespace' | 'labels'>): ProxyConfigLevels {
    const selecting = this.#selecting.get(namespace) ?? none;
    return {
      mesh: this.#whole.get(this.#rootNamespace) ?? none,
      namespace: namespace === this.#rootNamespace ? none : (this.#whole.get(namespace) ?? none),
      workload: selecting.filter(({ spec }) => selects(spec.selector?.matchLabels, labels)),
    };
  }
}

const none: readonly ProxyConfig[] = [];
