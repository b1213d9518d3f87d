import type { MeshGauge } from '../../diagnostics/mesh-gauges.ts';
import type { RejectedObject, RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import type { Meters } from './meters.ts';

/** What one compilation counted in its inputs. */
export interface MeshFigures {
  readonly gauges: Readonly<Record<MeshGauge, number>>;
  /** Objects of which at least a part was left out, while the rest is in use. */
  readonly rejected: readonly RejectedObject[];
}

/** Shows the figures of the newest compilation. */
export function showFigures({ gauges, rejected }: MeshFigures, meters: Meters, configs: RejectedObjects): void {
  for (const [name, value] of Object.entries(gauges)) meters.set(name as MeshGauge, value);
  configs.replace('compiler', rejected);
}
