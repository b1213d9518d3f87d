import type { Compiler } from '../compiler/compile.ts';
import type { Settings } from '../config/settings.ts';
import type { KeySetGatherer } from './key-sets/gather.ts';

/** What a fleet is compiled with. */
export interface FleetInputs {
  readonly settings: Settings;
  /** A compiler of its own each time: what is frozen would push out what the other one remembers. */
  readonly createCompiler: () => Compiler;
  readonly gatherer: KeySetGatherer;
  /** An invalid object that was never good counts as absent, if its kind takes nothing away. */
  readonly leavesOutInvalid?: boolean | undefined;
}
