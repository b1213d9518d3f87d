import type { Resource, ResourceSet } from '../../compiler/render/resource.ts';

type Resources = readonly Resource[];

/**
 * Numbers of halves, by their set. A set keeps its number from snapshot to snapshot; where proxies of one snapshot have it
 * with other listeners, endpoints or routes, each form has one.
 */
export class HalfNumbers {
  readonly #numbers = new WeakMap<ResourceSet, number[]>();
  #forms = new Map<ResourceSet, FormsOfSet>();
  #next = 0;

  /** A snapshot begins. */
  begin(): void {
    this.#forms = new Map();
  }

  of(set: ResourceSet, listeners: Resources, endpoints: Resources, routes: Resources): number {
    let forms = this.#forms.get(set);
    if (forms === undefined) {
      forms = { count: 0, byListeners: new Map() };
      this.#forms.set(set, forms);
    }
    const byRoutes = within(within(forms.byListeners, listeners), endpoints);
    let number = byRoutes.get(routes);
    if (number === undefined) {
      number = this.#numberOf(set, forms.count++);
      byRoutes.set(routes, number);
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
  /** Then by endpoints, and by routes. */
  readonly byListeners: Map<Resources, Map<Resources, Map<Resources, number>>>;
}

function within<Key, Value>(map: Map<Key, Map<Resources, Value>>, key: Key): Map<Resources, Value> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}
