import { nowMs } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { SparseMap } from '../../lib/sparse.ts';
import type { SentNote } from '../../xds/scope.ts';
import { newSpanId, newTraceId, type Span, type SpanSink } from '../trace/span.ts';
import { type MeshSnapshot, proxyKey } from './mesh-snapshot.ts';
import type { SnapshotOrigin, StreamWatcher, WatchedStream } from './stream-watcher.ts';

export interface TracerOptions {
  readonly log: PlainLog;
  /** Absent: spans are logged and nothing else. */
  readonly sink?: SpanSink | undefined;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/** One change on its way to all proxies, or what one proxy asks for itself. */
interface Trace {
  readonly traceId: string;
  readonly rootId: string;
  readonly name: string;
  readonly startMs: number;
  readonly attributes: Span['attributes'];
  /** Proxies on the way to which it is. */
  open: number;
}

/** A trace on its way to one proxy. */
interface Delivery {
  readonly trace: Trace;
  readonly spanId: string;
  readonly startMs: number;
  takenMs: number | undefined;
  responses: number;
}

interface OpenResponse {
  readonly delivery: Delivery;
  readonly note: SentNote;
  readonly startMs: number;
}

interface StreamState {
  delivery: Delivery | undefined;
  /** By nonce. */
  readonly responses: SparseMap<string, OpenResponse>;
}

/** The streams of the protocol leave no more open for a type. */
const mostResponses = 256;

/**
 * Follows each push from the change through its compilation to each proxy's responses and acknowledgements, in the log at
 * level debug and as spans. A push ends when a newer one replaces it.
 */
export class PushTracer implements StreamWatcher {
  readonly #options: TracerOptions;
  readonly #clock: () => number;
  readonly #streams = new Map<WatchedStream, StreamState>();
  #current: Trace | undefined;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? nowMs;
  }

  updated({ proxies }: MeshSnapshot, { version, commit, times }: SnapshotOrigin): void {
    const { changedMs, beganMs, endedMs } = times;
    const of = commit === undefined ? {} : { 'mesh.commit': commit };
    const attributes = { 'mesh.version': version, ...of, 'mesh.proxies': proxies.size };
    const trace = this.#begin('push', changedMs, attributes);
    this.#options.log.debug('push: compiled', {
      ...{ push: trace.traceId, version, ...(commit && { commit }), proxies: proxies.size },
      ...{ waitedMs: rounded(beganMs - changedMs), compiledMs: rounded(endedMs - beganMs) },
    });
    this.#emit({ trace, name: 'debounce', startMs: changedMs, endMs: beganMs });
    this.#emit({ trace, name: 'compile', startMs: beganMs, endMs: endedMs });
    this.#current = trace;
    // The proxies that it concerns are told of in this turn of the event loop.
    trace.open++;
    setImmediate(() => this.#leave(trace));
  }

  opened(stream: WatchedStream): void {
    const state: StreamState = { delivery: undefined, responses: new SparseMap() };
    this.#streams.set(stream, state);
    this.#deliver(state, this.#beginOwn('connect', stream)).takenMs = this.#clock();
  }

  queued(stream: WatchedStream): void {
    const state = this.#streams.get(stream);
    if (state === undefined || this.#current === undefined) return;
    if (state.delivery?.trace === this.#current) return;
    this.#finish(stream, state, 'overtaken');
    this.#deliver(state, this.#current);
  }

  taken(stream: WatchedStream): void {
    const delivery = this.#streams.get(stream)?.delivery;
    if (delivery !== undefined) delivery.takenMs ??= this.#clock();
  }

  sent(stream: WatchedStream, note: SentNote): void {
    const state = this.#streams.get(stream);
    if (state === undefined) return;
    // What a client asks for later on belongs to no change.
    const delivery = state.delivery ?? this.#deliver(state, this.#beginOwn('subscription', stream));
    delivery.takenMs ??= this.#clock();
    delivery.responses++;
    state.responses.set(note.nonce, { delivery, note, startMs: this.#clock() });
    if (state.responses.size > mostResponses) state.responses.delete([...state.responses.keys()][0] ?? '');
    this.#options.log.debug('push: sent', { push: delivery.trace.traceId, proxy: keyOf(stream), ...fieldsOf(note) });
  }

  answered(stream: WatchedStream, { nonce, refusal }: Parameters<NonNullable<StreamWatcher['answered']>>[1]): void {
    const state = this.#streams.get(stream);
    const response = state?.responses.get(nonce);
    if (response === undefined) return;
    state?.responses.delete(nonce);
    const { delivery, note, startMs } = response;
    const fields = {
      push: delivery.trace.traceId,
      proxy: keyOf(stream),
      ...fieldsOf(note),
      ms: rounded(this.#clock() - startMs),
    };
    if (refusal === undefined) this.#options.log.debug('push: acknowledged', fields);
    else this.#options.log.debug('push: refused', { ...fields, message: refusal });
    this.#emitResponse(stream, response, refusal);
  }

  settled(stream: WatchedStream): void {
    const state = this.#streams.get(stream);
    // One whose turn has not come is not what is answered.
    if (state?.delivery?.takenMs !== undefined) this.#finish(stream, state, 'settled');
  }

  closed(stream: WatchedStream): void {
    const state = this.#streams.get(stream);
    this.#streams.delete(stream);
    if (state === undefined) return;
    for (const response of state.responses.values())
      this.#emitResponse(stream, response, 'the stream ended before an answer');
    this.#finish(stream, state, 'closed');
  }

  #begin(name: string, startMs: number, attributes: Span['attributes']): Trace {
    return { traceId: newTraceId(), rootId: newSpanId(), name, startMs, attributes, open: 0 };
  }

  #beginOwn(name: string, { owner: { identity, envoyVersion } }: WatchedStream): Trace {
    const attributes = { 'mesh.identity': identity, 'envoy.version': envoyVersion };
    return this.#begin(name, this.#clock(), attributes);
  }

  #deliver(state: StreamState, trace: Trace): Delivery {
    trace.open++;
    state.delivery = { trace, spanId: newSpanId(), startMs: this.#clock(), takenMs: undefined, responses: 0 };
    return state.delivery;
  }

  #finish(stream: WatchedStream, state: StreamState, end: 'settled' | 'overtaken' | 'closed'): void {
    const { delivery } = state;
    if (delivery === undefined) return;
    state.delivery = undefined;
    const { trace, spanId, startMs, takenMs, responses } = delivery;
    const endMs = this.#clock();
    const waitedMs = rounded((takenMs ?? endMs) - startMs);
    const ms = rounded(endMs - trace.startMs);
    this.#options.log.debug('push: done', { push: trace.traceId, proxy: keyOf(stream), end, responses, waitedMs, ms });
    const attributes = { 'mesh.proxy': keyOf(stream), 'mesh.end': end, 'mesh.waited_ms': waitedMs };
    this.#emit({ trace, spanId, name: 'deliver', startMs, endMs, attributes });
    this.#leave(trace);
  }

  #emitResponse(stream: WatchedStream, { delivery, note, startMs }: OpenResponse, problem: string | undefined): void {
    const name = `response ${typeOf(note)}`;
    const attributes = {
      ...{ 'mesh.proxy': keyOf(stream), 'xds.type': typeOf(note), 'xds.resources': note.resources },
      ...{ 'xds.nonce': note.nonce, 'xds.acknowledged': problem === undefined },
    };
    const { trace, spanId: parentId } = delivery;
    this.#emit({ trace, parentId, name, startMs, endMs: this.#clock(), attributes, problem });
  }

  #leave(trace: Trace): void {
    if (--trace.open > 0) return;
    const { traceId, rootId: spanId, name, startMs, attributes } = trace;
    this.#options.sink?.({ traceId, spanId, name, startMs, endMs: this.#clock(), attributes });
  }

  #emit({
    trace,
    ...span
  }: { readonly trace: Trace } & Pick<Span, 'name' | 'startMs' | 'endMs'> & Partial<Span>): void {
    const { sink } = this.#options;
    if (sink === undefined) return;
    sink({ attributes: {}, parentId: trace.rootId, spanId: newSpanId(), ...span, traceId: trace.traceId });
  }
}

function keyOf({ owner }: WatchedStream): string {
  return proxyKey(owner.proxy);
}

function typeOf({ typeUrl }: Pick<SentNote, 'typeUrl'>): string {
  return typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
}

function fieldsOf({ typeUrl, nonce, resources }: SentNote) {
  return { type: typeOf({ typeUrl }), nonce, resources };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
