import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Codec } from './codec.ts';
import type { Refusal } from './message.ts';
import type { ResourceStore } from './resource.ts';
import type { StreamReaction } from './state-of-the-world.ts';

/** One subscription, in either form of the protocol. */
export interface DiscoveryStream<Request, Response> {
  receive(request: Request): StreamReaction<Response>;
  update(): Response | undefined;
  readonly pendingNames: readonly string[];
}

/** What the server hears of its streams; logs and metrics hang here. */
export interface DiscoveryObserver {
  opened?(): void;
  closed?(): void;
  pushed?(response: { readonly typeUrl: string; readonly version: string }): void;
  /** A response that was told of as pushed did not leave before its stream ended. */
  pushFailed?(): void;
  /** A stream is stale (its client does not answer), and will be closed. */
  wentStale?(): void;
  /** A stale stream is closed. */
  recycled?(): void;
  refused?(refusal: Refusal): void;
  /** A subscribed name has no resource yet; told once a stream and name. */
  waiting?(name: string): void;
  failed?(error: Error): void;
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
    recycled: () => each((it) => it.recycled?.()),
    refused: (refusal) => each((it) => it.refused?.(refusal)),
    waiting: (name) => each((it) => it.waiting?.(name)),
    failed: (error) => each((it) => it.failed?.(error)),
  };
}

/** More names than this in one request is no proxy of ours. */
const mostNames = 100;
/** INVALID_ARGUMENT of gRPC's status codes. */
const invalidArgument = 3;

interface SessionParts<Request, Response> {
  readonly call: ServerDuplexStream<Buffer, Buffer>;
  readonly codec: Codec<Request, Response>;
  readonly stream: DiscoveryStream<Request, Response>;
  readonly store: ResourceStore;
  readonly namesOf: (request: Request) => readonly string[];
  readonly versionOf: (response: Response) => string;
  readonly observer: DiscoveryObserver;
}

/**
 * Carries one gRPC stream: requests in, responses out. Changes of the store are sent once a turn of the event loop, and
 * while the client does not read they are kept back, so that it gets the newest state and memory stays flat.
 */
export function serveSession<Request extends { readonly typeUrl: string }, Response>(
  parts: SessionParts<Request, Response>,
): void {
  const { call, codec, stream, store, observer } = parts;
  const waiting = new Set<string>();
  let isBlocked = false;
  let isScheduled = false;
  let isOpen = true;

  let unsent = 0;
  const send = (response: Response): void => {
    unsent += 1;
    const sent = (error?: Error | null): void => {
      if (error === undefined || error === null) unsent -= 1;
    };
    isBlocked = !call.write(codec.encode(response), sent);
    observer.pushed?.({ typeUrl: store.type.typeUrl, version: parts.versionOf(response) });
  };
  const flush = (): void => {
    isScheduled = false;
    if (!isOpen || isBlocked) return;
    const response = stream.update();
    if (response !== undefined) send(response);
  };
  const unsubscribe = store.onChange(() => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  });
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    unsubscribe();
    observer.closed?.();
  };
  const receive = (bytes: Buffer): void => {
    const request = codec.decode(bytes);
    checkRequest(request.typeUrl, parts.namesOf(request), store);
    const { response, refusal } = stream.receive(request);
    if (refusal !== undefined) observer.refused?.(refusal);
    if (response !== undefined) send(response);
    for (const name of stream.pendingNames) {
      if (!waiting.has(name)) observer.waiting?.(name);
      waiting.add(name);
    }
  };

  observer.opened?.();
  call.on('data', (bytes: Buffer) => {
    if (!isOpen) return;
    try {
      receive(bytes);
    } catch (cause) {
      observer.failed?.(new Error('a request of the discovery protocol is not understood', { cause }));
      close();
      // The way in which a handler of this gRPC library ends a stream with a status.
      call.emit('error', { code: invalidArgument, details: 'request not understood' });
    }
  });
  call.on('drain', () => {
    isBlocked = false;
    flush();
  });
  call.on('end', () => {
    close();
    call.end();
  });
  call.on('cancelled', close);
  call.on('error', close);
  call.on('close', () => {
    close();
    for (; unsent > 0; unsent -= 1) observer.pushFailed?.();
  });
}

function checkRequest(typeUrl: string, names: readonly string[], store: ResourceStore): void {
  if (typeUrl !== '' && typeUrl !== store.type.typeUrl) throw new Error(`type "${typeUrl}" is not served here`);
  if (names.length > mostNames) throw new Error(`${names.length} names in one request, at most ${mostNames}`);
}
