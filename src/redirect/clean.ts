import type { ChangeOptions } from './apply.ts';

/** What clean-up did. */
export interface CleanOutcome {
  /** What was there and is gone, one line each, for people. */
  readonly removed: readonly string[];
  /** What is ours and had to stay, with the reason. */
  readonly left: readonly string[];
}

/** Removes from the network namespace of this process what {@link applyRedirect} made, and nothing else. */
export async function cleanRedirect(options: ChangeOptions = {}): Promise<CleanOutcome> {
  throw new Error(`not written: ${options.lockWaitSeconds}`);
}
