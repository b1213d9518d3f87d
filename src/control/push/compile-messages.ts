import type { SettingsOptions } from '../../config/read.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import type { GoodChange } from '../../live/good-change.ts';
import type { DebounceTimes } from './debounce.ts';
import type { PlainSnapshot } from './plain-snapshot.ts';

/** What is compiled, and when. */
export interface CompileData {
  /** Folder of policies, services and workloads. */
  readonly folder: string;
  readonly settings: SettingsOptions;
  readonly debounce: DebounceTimes;
  /** PILOT_ENABLE_EDS_DEBOUNCE: false sends changes of endpoints at once. */
  readonly gathersEndpoints: boolean;
}

/** What the compile thread is started with. */
export interface ThreadData {
  readonly data: CompileData;
  /** What the thread before it had in force. */
  readonly good: FleetState | undefined;
}

/** From the compile thread. */
export type FromCompiler =
  | { readonly type: 'snapshot'; readonly snapshot: PlainSnapshot; readonly ms: number }
  /** The inputs are wrong, or cannot be read: what was served last stays. `text` says why, with file and line. */
  | { readonly type: 'refused'; readonly text: string }
  /** What is in force now, for the thread that takes the place of this one. */
  | { readonly type: 'good'; readonly change: GoodChange<FleetState> };
