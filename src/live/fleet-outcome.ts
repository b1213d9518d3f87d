import type { MeshFigures } from '../compiler/mesh-figures.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import type { FaultyProxy } from '../compiler/render-snapshot.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import type { Workload } from '../compiler/topology/model.ts';
import type { Diagnostic } from '../diagnostics/bag.ts';
import type { TouchedProxies } from './access-changes.ts';
import type { Fault } from './last-valid.ts';
import type { ObjectName } from './object-name.ts';

/** What a proxy is to run with. */
export type ProxyOutcome =
  | {
      readonly config: EnvoyConfig;
      /** What is wrong with objects that may concern it, and are held at their last valid version or left out. */
      readonly faults: readonly FleetFault[];
    }
  | {
      /**
       * Something that it may depend on was never good, or is so no more: what it had, or what lets nothing through.
       */
      readonly frozen: EnvoyConfig;
      readonly isDenying: boolean;
      /** The version of the inputs whose policies it has; undefined: of none. */
      readonly since: string | undefined;
      readonly faults: readonly FleetFault[];
    };

/** Why a proxy has not what the inputs say. */
export interface FleetFault {
  /** Undefined: nobody knows which object it is, or no object is to blame. */
  readonly object: ObjectName | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The last version of the inputs in which the object was sound, where that one is in force. */
  readonly heldSince: string | undefined;
  readonly errors: readonly Diagnostic[];
}

/** What came of a version of the inputs, by `<namespace>/<name>` of the proxies. */
export interface FleetOutcome {
  readonly outcomes: ReadonlyMap<string, ProxyOutcome>;
  /** Of the mesh in force, by the same names. */
  readonly workloads: ReadonlyMap<string, Workload>;
  /** Whose access rules may be others than in the version before. */
  readonly touched: TouchedProxies;
  /** What was said of the inputs: all errors, and the warnings of what was compiled. */
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined: nothing of the inputs could be used. */
  readonly figures: MeshFigures | undefined;
  /** What is in force; undefined as the figures. */
  readonly snapshot: Snapshot | undefined;
}

/** Of an object; of a document of which nobody knows what it is, the place where it stands. */
export function faultKey({ object, file, line }: Fault): string {
  return object === undefined ? `${file}:${line}` : JSON.stringify([object.kind, object.namespace, object.name]);
}

/** Errors of one proxy, which no object could be held for. */
export function faultOfProxy({ workload, errors }: FaultyProxy): FleetFault {
  const { document } = workload.object;
  const isOwn = errors.every(({ span }) => span?.file === document.file);
  const { kind, namespace, name } = workload;
  return {
    object: isOwn ? { kind, namespace, name } : undefined,
    file: errors.find(({ span }) => span !== undefined)?.span?.file,
    line: undefined,
    heldSince: undefined,
    errors,
  };
}
