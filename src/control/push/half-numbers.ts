import type { Resource, ResourceSet } from '../../compiler/render/resource.ts';

type Resources = readonly Resource[];

/**
 * Numbers of halves, by their set. A set keeps its number from snapshot to snapshot; where proxies of one snapshot have it
 * with other listeners or endpoints, each form has one.
 */
export class HalfNumbers {
  readonly #numbers = new WeakMap<ResourceSet, number[]>();
  #forms = new Map<ResourceSet, FormsOfSet>();
  #next = 0;

  /** A snapshot begins. */
  begin(): void {
    this.#forms = new Map();
  }

  of(set: ResourceSet, listeners: Resources, endpoints: Resources): number {
    let forms = this.#forms.get(set);
    if (forms === undefined) {
      forms = { count: 0, byListeners: new Map() };
      this.#forms.set(set, forms);
    }
    let byEndpoints = forms.byListeners.get(listeners);
    if (byEndpoints === undefined) {
      byEndpoints = new Map();
      forms.byListeners.set(listeners, byEndpoints);
    }
    let number = byEndpoints.get(endpoints);
    if (number === undefined) {
      number = this.#numberOf(set, forms.count++);
      byEndpoints.set(endpoints, number);
    }
    return number;
  }

  #numberOf(set: ResourceSet, form: number): number {
    const numbers = this.#numbers.get(set) ?? [];
    this.#numbers.set(set, numbers);
    let number = numbers[form];
    if (number === undefined) {
      number = this.#next++;
      numbers[form] = number;
    }
    return number;
  }
}

interface FormsOfSet {
  count: number;
  readonly byListeners: Map<Resources, Map<Resources, number>>;
}
