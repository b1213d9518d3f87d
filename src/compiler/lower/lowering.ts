import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import type { KeySets } from '../../policy/key-sets.ts';
import type { Memo } from './memo.ts';

/** What every part of lowering needs. A memo belongs to one settings value: labels need not carry it. */
export interface Lowering {
  readonly settings: Settings;
  readonly memo: Memo;
  /** Of the machine that the proxy starts on, as long as the memo lives; absent where output is for any machine. */
  readonly host?: HostFacts | undefined;
  /** Absent: none is at hand. */
  readonly keySets?: KeySets | undefined;
}
