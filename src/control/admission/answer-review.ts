import {
  type AdmissionRequest,
  type AdmissionReview,
  answerOf,
  isOnlyAdvised,
  type Ruling,
} from './admission-review.ts';

/** What decides about the objects of one webhook; what it throws is a fault of ours. */
export type Rule = (request: AdmissionRequest) => Ruling | Promise<Ruling>;

/** What a webhook answers to an API server, and what is told of it here. */
export interface AdmissionReply {
  /** Of HTTP. */
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** Undefined: the request was none. */
  readonly told: AdmissionEvent | undefined;
}

/** A request that was answered. */
export interface AdmissionEvent {
  /** `failed`: a fault of ours, by which the object is refused too, if it may be. */
  readonly outcome: 'allowed' | 'changed' | 'refused' | 'failed';
  readonly isAllowed: boolean;
  readonly kind: string;
  readonly operation: string;
  /** Empty: it has none. */
  readonly namespace: string;
  /** Empty before the API server has given it one. */
  readonly name: string;
  /** Why the object is not allowed, or stays as it is. */
  readonly reason: string;
}

const unjudged = 'there is a fault in meshd, whose log says more; nothing was changed';
const unexamined = 'meshd could not examine this object, and its log says why';

/** Answers a review, or what is wrong with a text that is none. */
export async function answerReview(rule: Rule, review: AdmissionReview | string): Promise<AdmissionReply> {
  if (typeof review === 'string') return { status: 400, body: JSON.stringify({ error: review }), told: undefined };
  const { kind, operation, namespace = '', object, oldObject } = review.request;
  const { name = '' } = ((object ?? oldObject)?.metadata ?? {}) as { readonly name?: string };
  const event = { kind: kind.kind, operation, namespace, name };
  try {
    const ruling = await rule(review.request);
    const allowed = ruling.patch === undefined ? 'allowed' : 'changed';
    const told = {
      ...event,
      outcome: ruling.isAllowed ? allowed : 'refused',
      isAllowed: ruling.isAllowed,
      reason: ruling.message ?? ruling.note ?? '',
    } as const;
    return { status: 200, body: JSON.stringify(answerOf(review, ruling)), told };
  } catch (error) {
    const isAllowed = isOnlyAdvised(review.request);
    const told = { ...event, outcome: 'failed', isAllowed, reason: (error as Error).stack ?? '' } as const;
    const ruling = isAllowed ? { isAllowed, warnings: [unexamined] } : { isAllowed, message: unjudged };
    return { status: 200, body: JSON.stringify(answerOf(review, ruling)), told };
  }
}
