import type { Settings } from '../config/settings.ts';
import type { Diagnostic } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { StandardOutcome } from './gateway-api/outcome.ts';
import type { ClientScope, Effective } from './merge/effective.ts';
import type { Topology, Workload } from './topology/model.ts';

/**
 * What every reader of a mesh needs: its objects, who is in it, and which policy is in force where. `analyse` makes it,
 * and only of sound inputs. Nothing in it depends on the proxies that it is rendered for.
 */
export interface Snapshot {
  readonly settings: Settings;
  /** In the order of the inputs. */
  readonly objects: readonly MeshObject<string>[];
  /** Those of the objects that are policies, by kind. */
  readonly policies: PolicySet;
  /** What became of those that are of the Gateway API. */
  readonly standard: StandardOutcome;
  /** Services, workloads and endpoints, made of the other objects. */
  readonly topology: Topology;
  /** The policies in force: for a workload, and for a client scope and a service. */
  readonly effective: Effective;
  /** The root namespace that the objects decided on; undefined while none did, and where a setting names one. */
  readonly decidedRoot: string | undefined;
  /** What reading and analysis had to say: no errors, for with one there is no snapshot. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * What was said because the input does not have something, where the input may be a part of the mesh; else it is among
   * the diagnostics.
   */
  readonly absences: readonly Diagnostic[];
  /** What the outbound configuration of a workload depends on: the question that `effective.outbound` answers. */
  scopeOf(workload: Workload): ClientScope;
}
