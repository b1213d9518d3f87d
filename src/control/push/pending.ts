/** What is not compiled yet. */
export interface Pending {
  /** It waits for others no longer than what takes access away may: by the text, a rule about access is among it. */
  readonly isUrgent: boolean;
  /** The access of each proxy may be another one: settings, or keys, are others. */
  readonly isOfAll: boolean;
  /** The first change of it was seen then, in Unix milliseconds. */
  readonly changedMs: number;
}

/** What is pending once a change has been seen: as urgent as either, and since the first of them. */
export function pendingWith(pending: Pending | undefined, change: Pending): Pending {
  return {
    isUrgent: change.isUrgent || pending?.isUrgent === true,
    isOfAll: change.isOfAll || pending?.isOfAll === true,
    changedMs: pending?.changedMs ?? change.changedMs,
  };
}
