import type { MeshGauge } from '../../diagnostics/mesh-gauges.ts';
import type { RejectedObject } from '../../diagnostics/rejected-objects.ts';
import type { ObjectReport } from '../status/object-report.ts';

/** Counts compilations and their failures. */
export interface CompileObserver {
  compiled?(ms: number): void;
  /** Called with the figures of a compilation; `missing` counts destinations of routes that no service has. */
  counted?(
    gauges: Readonly<Record<MeshGauge, number>> | undefined,
    rejected: readonly RejectedObject[],
    missing: number | undefined,
  ): void;
  /** Called for inputs that cannot be served. */
  refused?(): void;
  /** What is said of objects whose status is written, as far as it is something else. */
  reported?(changed: readonly ObjectReport[], removed: readonly string[]): void;
  /** Called when the thread has ended by itself and is started again. */
  restarted?(): void;
}
