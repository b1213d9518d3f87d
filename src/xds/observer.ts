import type { Refusal } from './message.ts';
import type { Culprit } from './suspects.ts';

/** Resources that a client refuses by themselves. */
export interface Isolation {
  readonly typeUrl: string;
  readonly culprits: readonly Culprit[];
  /** What the client said last; absent where it follows from what it accepted. */
  readonly refusal?: Refusal | undefined;
}

/** The client of a stream. */
export interface StreamOrigin {
  /** `10.1.0.1:40022`; of a Unix socket, its path. */
  readonly peer: string;
  /** As its first request says; empty where there is none that can be read. */
  readonly nodeId: string;
}

/** What the server hears of its streams; logs and metrics hang here. */
export interface DiscoveryObserver {
  opened?(): void;
  closed?(): void;
  pushed?(response: { readonly typeUrl: string; readonly version: string }): void;
  /** A response that was told of as pushed did not leave before its stream ended. */
  pushFailed?(): void;
  /** A stream is stale: its client does not answer, and is given up if it goes on so. */
  wentStale?(): void;
  /** A stale stream is closed, or its client has answered. */
  noLongerStale?(): void;
  refused?(refusal: Refusal): void;
  isolated?(isolation: Isolation): void;
  /** A subscribed name has no resource yet; told once a stream and name. */
  waiting?(name: string): void;
  /** A stream is not served, or no further. */
  failed?(error: Error, from: StreamOrigin): void;
}

/** Tells both, the first one first. */
export function bothObservers(first: DiscoveryObserver, second: DiscoveryObserver): DiscoveryObserver {
  const each = (tell: (observer: DiscoveryObserver) => void) => {
    tell(first);
    tell(second);
  };
  return {
    opened: () => each((it) => it.opened?.()),
    closed: () => each((it) => it.closed?.()),
    pushed: (response) => each((it) => it.pushed?.(response)),
    pushFailed: () => each((it) => it.pushFailed?.()),
    wentStale: () => each((it) => it.wentStale?.()),
    noLongerStale: () => each((it) => it.noLongerStale?.()),
    refused: (refusal) => each((it) => it.refused?.(refusal)),
    isolated: (isolation) => each((it) => it.isolated?.(isolation)),
    waiting: (name) => each((it) => it.waiting?.(name)),
    failed: (error, from) => each((it) => it.failed?.(error, from)),
  };
}
