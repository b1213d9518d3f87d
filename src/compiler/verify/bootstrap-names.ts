import type { BootstrapIR } from '../ir/proxy.ts';
import type { Resource } from '../render/resource.ts';
import { type Names, namesOfBootstrap } from './names.ts';

/** Names of bootstraps that are sound. Those of a fleet differ in who the proxy is, and not in their names. */
export class BootstrapNames {
  readonly #known = new WeakMap<BootstrapIR, Names>();
  readonly #byText = new Map<string, Names>();

  /** Undefined: it was not found sound yet. */
  of(ir: BootstrapIR): Names | undefined {
    return this.#known.get(ir);
  }

  add(ir: BootstrapIR, bootstrap: Resource): void {
    const names = namesOfBootstrap(bootstrap);
    const text = textOf(names);
    const same = this.#byText.get(text) ?? names;
    this.#byText.set(text, same);
    this.#known.set(ir, same);
  }
}

function textOf({ listeners, clusters, openClusters, openRoutes, isFaulty }: Names): string {
  return JSON.stringify([[...listeners.keys()], [...clusters.keys()], [...openClusters], [...openRoutes], isFaulty]);
}
