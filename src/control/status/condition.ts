/** A condition of an object's status, as the platform defines it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** Generation of the object of which it tells. */
  readonly observedGeneration?: number;
  /** When `status` became what it is. */
  readonly lastTransitionTime: string;
}

/** What a condition is to say. */
export type ConditionWords = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Those that are written here; all others of an object are somebody else's. */
export type OwnConditionType = 'Accepted' | 'Distributed' | 'LintPassed';

/** The conditions of an object's status, of whatever type; what has no type is none. */
export function conditionsOf(status: unknown): readonly Condition[] {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return [];
  return conditions.filter((it) => typeof (it as Condition | null)?.type === 'string') as Condition[];
}

/**
 * The condition with these words for a generation. Its time is that of `before`, the condition that is there, where that has
 * the same status; and where nothing differs, it is `before` itself.
 */
export function conditionAfter(
  before: Condition | undefined,
  words: ConditionWords,
  generation: number,
  now: Date,
): Condition {
  const isSame = before?.status === words.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : `${now.toISOString().slice(0, 19)}Z`;
  const after = { ...words, observedGeneration: generation, lastTransitionTime };
  const differs =
    !isSame ||
    before.reason !== words.reason ||
    before.message !== words.message ||
    before.observedGeneration !== generation;
  return differs ? after : before;
}
