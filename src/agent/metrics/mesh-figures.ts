import type { Meters } from './meters.ts';
import type { MeshGauge } from './metric-table.ts';
import type { RejectedConfigs, RejectedObject } from './rejected-configs.ts';

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
