import { SparseMap, SparseSet } from '../lib/sparse.ts';
import type { AnyRequest, AnyResponse, ProtocolForm } from './form.ts';
import type { DiscoveryObserver } from './observer.ts';
import type { PushStep, StreamScope } from './scope.ts';
import { type DiscoveryStream, noNames } from './stream.ts';
import { setType } from './whole-sets.ts';

/** What is to be done now: send, or look again after some time, or nothing until something happens. */
export interface NextPush<Response> {
  readonly response?: Response | undefined;
  readonly waitMs?: number;
  /** Nothing else is waited for than the time of what is gone and lingers. */
  readonly isLingering?: boolean;
}

/** What of a type is gone, and has had its turn. */
interface Lingering {
  /** Of these the client hears at a time. */
  readonly names: ReadonlySet<string>;
  readonly untilMs: number;
  /** These, and those whose time begins then. */
  readonly all: ReadonlySet<string>;
}

/** Of the names of a client that together are too long. */
const usualNameLength = 256;

/** The subscriptions that one gRPC stream carries, one a type, with the order in which a change of several is sent. */
export class ScopedStreams<Request extends AnyRequest, Response extends AnyResponse> {
  readonly #form: ProtocolForm<Request, Response>;
  readonly #scope: StreamScope;
  readonly #observer: DiscoveryObserver;
  readonly #streams = new Map<string, DiscoveryStream<Request, Response>>();
  /** Of responses that wait for the client's word; the newest one of a type. */
  readonly #sentAtMs = new SparseMap<string, number>();
  readonly #lingering = new SparseMap<string, Lingering>();
  /** Names without a resource that have been reported. */
  readonly #waiting = new SparseSet<string>();
  /** One count for all types: no nonce of the gRPC stream comes twice. */
  readonly #nextNonce = (): string => `${this.#scope.noncePrefix ?? ''}${++this.#nonce}`;
  #nonce = 0;
  #isAnswer = false;

  constructor(form: ProtocolForm<Request, Response>, scope: StreamScope, observer: DiscoveryObserver) {
    this.#form = form;
    this.#scope = scope;
    this.#observer = observer;
  }

  /** A response of some type waits for the client's word. */
  get isUnanswered(): boolean {
    for (const stream of this.#streams.values()) if (stream.isUnanswered) return true;
    return false;
  }

  /** The request that was received last was the client's word about a response that waited for it. */
  get isAnswer(): boolean {
    return this.#isAnswer;
  }

  /** Throws where the request asks for what is not served here, or for too much. */
  receive(request: Request): Response | undefined {
    if (request.typeUrl === setType) return this.#resume(request);
    const stream = this.#streamOf(request);
    const { response, refusal, isAccepted = false, culprits = [] } = stream.receive(request);
    this.#isAnswer = refusal !== undefined || isAccepted;
    if (!stream.isUnanswered) this.#sentAtMs.delete(request.typeUrl);
    if (refusal !== undefined) this.#observer.refused?.(refusal);
    if (this.#isAnswer) this.#scope.answered?.(request.typeUrl, refusal, request.responseNonce);
    if (isAccepted) this.#tellComplete(stream, request.typeUrl);
    if (culprits.length > 0) {
      this.#observer.isolated?.({ typeUrl: request.typeUrl, culprits, refusal });
      this.#scope.isolated?.(request.typeUrl, culprits);
    }
    const lacking = stream.pendingNames;
    this.#refuseHoard(request.typeUrl, lacking);
    this.#tellWaiting(lacking);
    this.#scope.asked?.(request.typeUrl, { lacking, dropped: this.#form.droppedBy(request) });
    if (response !== undefined) this.#noteSent(response, stream);
    return response;
  }

  /** Tells of which types the client has everything. */
  tellComplete(): void {
    for (const [typeUrl, stream] of this.#streams)
      if (stream.told === undefined || stream.told !== this.#scope.sourceOf(typeUrl)?.view)
        this.#tellComplete(stream, typeUrl);
  }

  /** The first response in the order of the steps that is due. */
  next(nowMs = performance.now()): NextPush<Response> {
    for (const step of this.#scope.steps) {
      const stream = this.#streams.get(step.typeUrl);
      // Nearly always most types of a stream have nothing to say.
      if (stream === undefined || (!stream.mayHaveNews && this.#lingering.get(step.typeUrl) === undefined)) continue;
      const waitMs = step.waits ? this.#waitMs(step, nowMs) : 0;
      if (waitMs > 0) return { waitMs };
      const response = stream.update({ removes: this.#removalsOf(step, stream, nowMs) });
      if (response === undefined) continue;
      this.#noteSent(response, stream, nowMs);
      return { response };
    }
    if (this.#lingering.size === 0) return {};
    const ends = [...this.#lingering.values()].map(({ untilMs }) => untilMs);
    return { waitMs: Math.max(0, Math.min(...ends) - nowMs), isLingering: true };
  }

  /** What is gone begins to linger when its turn comes; what goes meanwhile begins when that has ended. */
  #removalsOf(
    { typeUrl, removes, lingerMs = 0 }: PushStep,
    stream: DiscoveryStream<Request, Response>,
    nowMs: number,
  ): boolean | ReadonlySet<string> {
    if (!removes || lingerMs === 0) return removes;
    const { names = noNames, untilMs = nowMs } = this.#lingering.get(typeUrl) ?? {};
    const gone = stream.gone;
    const still = new Set(gone.filter((name) => names.has(name)));
    if (untilMs > nowMs && still.size > 0) {
      this.#lingering.set(typeUrl, { names: still, untilMs, all: new Set(gone) });
      return noNames;
    }
    const next = new Set(gone.filter((name) => !still.has(name)));
    if (next.size === 0) this.#lingering.delete(typeUrl);
    else this.#lingering.set(typeUrl, { names: next, untilMs: nowMs + lingerMs, all: next });
    return still;
  }

  /** How long the client's word about the steps before is still waited for. */
  #waitMs(waiting: PushStep, nowMs: number): number {
    let longest = 0;
    for (const step of this.#scope.steps) {
      if (step === waiting) break;
      if (step.typeUrl === waiting.typeUrl || this.#streams.get(step.typeUrl)?.isUnanswered !== true) continue;
      const sentAtMs = this.#sentAtMs.get(step.typeUrl) ?? nowMs;
      longest = Math.max(longest, sentAtMs + this.#scope.stepTimeoutMs - nowMs);
    }
    return longest;
  }

  /** Goes on with the sets that the client says it has; its word about the answer says nothing. */
  #resume(request: Request): Response | undefined {
    this.#isAnswer = request.responseNonce !== '';
    if (this.#isAnswer) return undefined;
    const { resume } = this.#form;
    if (resume === undefined || this.#nonce > 0 || this.#streams.size > 0) {
      throw new Error(`type "${request.typeUrl}" is for the first request of a delta stream`);
    }
    const { response, streams } = resume(request, (typeUrl) => this.#scope.sourceOf(typeUrl), this.#nextNonce);
    for (const [typeUrl, stream] of streams) this.#streams.set(typeUrl, stream);
    this.#scope.asked?.(request.typeUrl, { lacking: [], dropped: [] });
    return response;
  }

  #tellComplete(stream: DiscoveryStream<Request, Response>, typeUrl: string): void {
    if (this.#scope.complete === undefined || !stream.isComplete(this.#lingering.get(typeUrl)?.all)) return;
    stream.told = this.#scope.sourceOf(typeUrl)?.view;
    this.#scope.complete(typeUrl);
  }

  #noteSent({ typeUrl, nonce }: Response, stream: DiscoveryStream<Request, Response>, nowMs = performance.now()): void {
    this.#sentAtMs.set(typeUrl, nowMs);
    const repeats = this.#scope.steps.find((step) => step.typeUrl === typeUrl)?.repeats;
    const sent = stream.takeSent();
    this.#scope.sent?.({ typeUrl, nonce, resources: sent.length });
    if (repeats !== undefined) this.#streams.get(repeats)?.repeat(sent.map(({ name }) => name));
  }

  #streamOf(request: Request): DiscoveryStream<Request, Response> {
    const source = this.#scope.sourceOf(request.typeUrl);
    if (source === undefined) throw new Error(`type "${request.typeUrl}" is not served here`);
    const { typeUrl } = source.type;
    const count = this.#form.namesOf(request).length;
    const most = this.#scope.mostNames(typeUrl);
    if (count > most) throw new Error(`${count} names in one request, at most ${most}`);
    let stream = this.#streams.get(typeUrl);
    if (stream === undefined) {
      stream = this.#form.open(source, this.#nextNonce);
      this.#streams.set(typeUrl, stream);
    }
    return stream;
  }

  /** Names come in many requests, too, and stay for as long as the stream. */
  #refuseHoard(typeUrl: string, lacking: readonly string[]): void {
    const most = this.#scope.mostNames(typeUrl);
    if (lacking.length > most) throw new Error(`${lacking.length} names without a resource, at most ${most}`);
    const length = lacking.reduce((sum, name) => sum + name.length, 0);
    const longest = most * usualNameLength;
    if (length > longest) throw new Error(`names without a resource of ${length} letters, at most ${longest}`);
  }

  #tellWaiting(lacking: readonly string[]): void {
    if (this.#observer.waiting === undefined) return;
    for (const name of lacking) {
      if (!this.#waiting.has(name)) this.#observer.waiting(name);
      this.#waiting.add(name);
    }
  }
}
