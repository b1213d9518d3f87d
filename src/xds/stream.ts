import type { Refusal } from './message.ts';
import type { DiscoveryResource } from './resource.ts';
import type { ResourceView } from './resource-view.ts';
import type { Culprit } from './suspects.ts';

/** A stream's answer to a message: at most one response, and what the client refused. */
export interface StreamReaction<Response> {
  readonly response: Response | undefined;
  readonly refusal?: Refusal;
  /** The client has taken a response. */
  readonly isAccepted?: boolean;
  /** What is known since this message to be refused by itself. */
  readonly culprits?: readonly Culprit[];
}

/** One client's subscription to one type, in either form of the protocol. Pure: the caller carries messages. */
export interface DiscoveryStream<Request, Response> {
  /** Takes a request; a response answers what was newly asked for, and nothing else. */
  receive(request: Request): StreamReaction<Response>;
  /** The response that a change calls for, if any. */
  update(options?: UpdateOptions): Response | undefined;
  /** Sends these again, as far as the client has subscribed to them. */
  repeat(names: Iterable<string>): void;
  /** False: `update` would give nothing. */
  readonly mayHaveNews: boolean;
  /** A response waits for the client's word. */
  readonly isUnanswered: boolean;
  /** Of what is gone, the names that the client is not told of yet. */
  readonly gone: readonly string[];
  /**
   * The client has said that it has what it is to have: nothing is under way, and nothing of it is refused. It may have
   * `lingering` names that are gone.
   */
  isComplete(lingering?: ReadonlySet<string>): boolean;
  /** The view of which it was said that the client has everything; undefined: of none. */
  told: ResourceView | undefined;
  /** Subscribed names that no resource answers yet. */
  readonly pendingNames: readonly string[];
  /** Resources of the response that was made last; told once, for a list of thousands a stream is memory. */
  takeSent(): readonly DiscoveryResource[];
}

export interface UpdateOptions {
  /** Whether the client is told of what is gone, or the names of which it is; true when absent. */
  readonly removes?: boolean | ReadonlySet<string>;
}

/** Whether the client is told that this name was removed. */
export function isTold(removes: boolean | ReadonlySet<string>, name: string): boolean {
  return typeof removes === 'boolean' ? removes : removes.has(name);
}

/** No names. */
export const noNames: ReadonlySet<string> = new Set();

/** A response on its way to a client or refused by it. */
export interface SentResponse {
  readonly version: string;
  readonly resources: readonly DiscoveryResource[];
  readonly isProbe: boolean;
}

/** A subscription of an empty list, or one that names `*`, means every resource of the type. */
export function isWildcard(names: readonly string[]): boolean {
  return names.length === 0 || names.includes('*');
}
