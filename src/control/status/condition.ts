/** A condition of an object's status, as Kubernetes defines it. */
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

/** The parts of a condition that `meshd` decides. */
export type ConditionWords = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Types of the conditions that `meshd` writes; other conditions of an object belong to other writers. */
export type OwnConditionType = 'Accepted' | 'Distributed' | 'LintPassed';

/** So long a message is at most; a server takes 32 KiB. */
export const longestMessage = 4_000;

/** All conditions of an object's status; entries without a type are ignored. */
export function conditionsOf(status: unknown): readonly Condition[] {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return [];
  return conditions.filter((it) => typeof (it as Condition | null)?.type === 'string') as Condition[];
}

/**
 * The condition with these words for a generation. Its time is that of `before`, the existing condition, if that has the same
 * status. If nothing differs, it is `before` itself.
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
