import type { Meters } from './meters.ts';
import type { MeshGauge } from './metric-table.ts';

/** What one compilation counted in its inputs. */
export interface MeshFigures {
  readonly gauges: Readonly<Record<MeshGauge, number>>;
  /** Objects of which at least a part was left out, while the rest is in use. */
  readonly rejected: readonly RejectedObject[];
}

/** Shows the figures of the newest compilation. */
export function showFigures({ gauges, rejected }: MeshFigures, meters: Meters, configs: RejectedConfigs): void {
  for (const [name, value] of Object.entries(gauges)) meters.set(name as MeshGauge, value);
  configs.replace('compiler', rejected);
}

/** An object that was rejected or left out, as people name it. */
export interface RejectedObject {
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
}

/** What finds objects at fault: each finder has its own list, which it replaces as a whole. */
export type Finder = 'compiler' | 'reload';

/** `pilot_total_rejected_configs`: one more each time that an object begins to be rejected, not at each look at it. */
export class RejectedConfigs {
  readonly #meters: Meters;
  readonly #rejected = new Map<Finder, ReadonlySet<string>>();

  constructor(meters: Meters) {
    this.#meters = meters;
  }

  replace(finder: Finder, objects: readonly RejectedObject[]): void {
    const before = this.#rejected.get(finder) ?? new Set();
    const found = new Map(objects.map((object) => [keyOf(object), object]));
    for (const [key, object] of found) {
      if (!before.has(key)) this.#meters.count('pilot_total_rejected_configs', labelsOf(object));
    }
    this.#rejected.set(finder, new Set(found.keys()));
  }
}

function keyOf({ kind, namespace, name }: RejectedObject): string {
  return JSON.stringify([kind, namespace, name]);
}

/** The type in lower case, as Istio says `gateway`. */
function labelsOf({ kind, namespace, name }: RejectedObject): { readonly type: string; readonly name: string } {
  return { type: kind.toLowerCase(), name: namespace === '' ? name : `${namespace}/${name}` };
}
