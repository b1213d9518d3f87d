import type { SettingsOptions } from '../../config/read.ts';
import type { MeshGauge } from '../../diagnostics/mesh-gauges.ts';
import type { RejectedObject } from '../../diagnostics/rejected-objects.ts';
import type { Answer, PlainError, Question } from '../../live/aside/messages.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import type { GoodChange } from '../../live/good-change.ts';
import type { MissingRows } from '../../live/missing-rows.ts';
import type { SourceFile } from '../../source/document.ts';
import type { WhyAnswer } from '../debug/answers.ts';
import type { NameChanges } from '../names/name-changes.ts';
import type { MeshSource } from '../registry/open-registry.ts';
import type { Position } from '../registry/position.ts';
import type { Registry, RegistryFigures, RegistryRevision } from '../registry/registry.ts';
import type { ObjectReport } from '../status/object-report.ts';
import type { DebounceTimes } from './debounce.ts';
import type { PlainSnapshot } from './plain-snapshot.ts';
import type { SnapshotOrigin } from './stream-watcher.ts';

/** Inputs of the compile thread, and its times. */
export interface CompileData {
  readonly source: MeshSource;
  readonly settings: SettingsOptions;
  /** That of the CA; the mesh configuration cannot change it while `meshd` runs. */
  readonly trustDomain: string;
  /** Folder of what is in force, for a `meshd` that is started again; absent: it is not kept. */
  readonly stateFolder?: string | undefined;
  readonly debounce: DebounceTimes;
  /** PILOT_ENABLE_EDS_DEBOUNCE: false sends changes of endpoints at once. */
  readonly gathersEndpoints: boolean;
  /**
   * PILOT_ENABLE_CRD_VALIDATION: invalid objects that were never valid are left out, if their kind takes nothing away.
   */
  readonly leavesOutInvalid?: boolean | undefined;
  /** PILOT_ENABLED_SERVICE_APIS: objects of the Gateway API are read; else they are skipped. */
  readonly readsGatewayApi?: boolean | undefined;
  /** PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING: versions of objects are told. */
  readonly tracksObjects?: boolean | undefined;
  /** DNS is served: names of services are told. */
  readonly tellsNames?: boolean | undefined;
}

/** The active state of a compile thread. */
export interface MeshState extends FleetState {
  /** The mesh configuration; undefined: there was no file of it. */
  readonly meshConfig: SourceFile | undefined;
  readonly folders: Registry['folders'];
}

/** What the compile thread is started with. */
export interface ThreadData {
  readonly data: CompileData;
  /** What the thread before it had in force. */
  readonly good: MeshState | undefined;
  /** It may read what another `meshd` left in the folder of the state. */
  readonly readsState: boolean;
}

/** To the compile thread. */
export type ToCompiler =
  /** It is to write what is not written yet, and answers with `closed`. */
  | { readonly type: 'close' }
  /** Keys of token issuers are others than before. */
  | { readonly type: 'keys' }
  /** What decided the configuration of a proxy (`<namespace>/<name>`), of a resource of this name or of all. */
  | { readonly type: 'why'; readonly id: number; readonly proxy: string; readonly name: string | undefined }
  /** Objects of the kind that stay though its definition is gone, go. */
  | { readonly type: 'forget'; readonly id: number; readonly kind: string }
  /** Whether somebody wants to know what lint finds. */
  | { readonly type: 'lint'; readonly isWanted: boolean }
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'failedAnswer'; readonly error: PlainError };

/** What proxies are served from now on. */
export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly snapshot: PlainSnapshot;
  readonly origin: SnapshotOrigin;
  /** Nothing is wrong with the inputs. */
  readonly isSound: boolean;
}

/** From the compile thread. */
export type FromCompiler =
  | SnapshotMessage
  /** The inputs are wrong, or cannot be read: what was served last stays. `text` says why, with file and line. */
  | { readonly type: 'refused'; readonly text: string }
  /** What the compilation counted in its inputs; no gauges: nothing could be used. */
  | {
      readonly type: 'figures';
      readonly gauges: Readonly<Record<MeshGauge, number>> | undefined;
      readonly rejected: readonly RejectedObject[];
      /** Undefined as the gauges. */
      readonly missing: MissingRows | undefined;
    }
  /** What is in force now, for the thread that takes the place of this one. */
  | { readonly type: 'good'; readonly change: GoodChange<MeshState> }
  /** What it asks for; one question at a time. */
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'told'; readonly level: 'info' | 'warn'; readonly text: string }
  /** How far the objects of the mesh are known. */
  | {
      readonly type: 'registry';
      readonly figures: readonly RegistryFigures[];
      readonly revision: RegistryRevision | undefined;
    }
  /** Names of services, as far as they are others than those that this thread told before. */
  | { readonly type: 'names'; readonly changes: NameChanges }
  /** The position up to which all inputs are read and compiled. */
  | { readonly type: 'position'; readonly position: Position }
  /** What is said of objects whose status is written. */
  | { readonly type: 'reports'; readonly changed: readonly ObjectReport[]; readonly removed: readonly string[] }
  /** Undefined: there is no such proxy. */
  | { readonly type: 'why'; readonly id: number; readonly answer: WhyAnswer | undefined }
  | { readonly type: 'forgotten'; readonly id: number; readonly objects: number }
  | { readonly type: 'closed' };
