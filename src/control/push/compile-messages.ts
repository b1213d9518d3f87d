import type { SettingsOptions } from '../../config/read.ts';
import type { DebounceTimes } from './debounce.ts';
import type { PlainSnapshot } from './plain-snapshot.ts';

/** What the compile thread is started with. */
export interface CompileData {
  /** Folder of policies, services and workloads. */
  readonly folder: string;
  readonly settings: SettingsOptions;
  readonly debounce: DebounceTimes;
  /** PILOT_ENABLE_EDS_DEBOUNCE: false sends changes of endpoints at once. */
  readonly gathersEndpoints: boolean;
}

/** From the compile thread. */
export type FromCompiler =
  | { readonly type: 'snapshot'; readonly snapshot: PlainSnapshot; readonly ms: number }
  /** The inputs are wrong, or cannot be read: what was served last stays. `text` says why, with file and line. */
  | { readonly type: 'refused'; readonly text: string };
