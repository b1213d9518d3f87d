import { type ClientDuplexStream, type ServiceError, status } from '@grpc/grpc-js';
import { callFailure } from '../../identity/call-failure.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { type DeltaAsk, encodeDeltaAsk, readDeltaResponse } from '../../xds/client-codec.ts';
import type { DeltaResponse } from '../../xds/message.ts';
import { nameType } from '../../xds/name-resources.ts';
import { positionIn } from '../../xds/position.ts';
import { faultType } from '../../xds/proxy-faults.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { setType } from '../../xds/whole-sets.ts';
import { type FollowedList, listOfType } from './configuration.ts';
import { Conversation, syncName } from './conversation.ts';
import { openChannel, openStream } from './open-channel.ts';
import { OwnTypes, unknowing } from './own-types.ts';
import { ReplicaPosition } from './replica-position.ts';
import type { UpstreamOptions } from './upstream-options.ts';
import { WantedNames } from './wanted-names.ts';

const backOffMs = { first: 500, longest: 30_000 };
/** INTERNAL: what Envoy itself refuses with. */
const refusalCode = 13;
/** The status by which a replica refuses that has read less than the one before. */
const olderCode = status.FAILED_PRECONDITION;

/**
 * Keeps one delta stream to the control plane, opened again whenever it ends, after a random part of a doubling delay. If a
 * name has several addresses, it uses the first that answers. It does not connect before it has an identity.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #end = new AbortController();
  readonly #wanted = new WantedNames();
  readonly #position: ReplicaPosition;
  #identity: SecretSnapshot | undefined;
  #call: ClientDuplexStream<Buffer, Buffer> | undefined;
  #conversation: Conversation | undefined;
  /** A control plane that does not know them ends the stream: then the next one goes without. */
  #tellsDigests = true;
  readonly #own: OwnTypes;
  #running: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#position = new ReplicaPosition(options.clock);
    this.#own = new OwnTypes([faultType.typeUrl, ...(options.names === undefined ? [] : [nameType.typeUrl])]);
  }

  /** Why there is no stream; undefined if there is one, or if none was tried yet. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The identity that the next connection shows, and whose roots the control plane's certificate must lead to. */
  takeIdentity(snapshot: SecretSnapshot): void {
    this.#identity = snapshot;
    this.#running ??= this.#run();
  }

  /** What the control plane said of the state that its resources are of; undefined: nothing. */
  get position(): string | undefined {
    return this.#position.said;
  }

  /** What it said before this process ran. */
  restorePosition(position: string | undefined): void {
    this.#position.take(position);
  }

  want(list: FollowedList, names: readonly string[]): void {
    if (list === 'secrets') {
      const fresh = this.#options.secrets.want(names);
      if (fresh.length > 0) this.#conversation?.ask({ typeUrl: secretTypeUrl, subscribe: fresh });
      return;
    }
    const fresh = this.#wanted.add(list, names);
    if (fresh.length === 0) return;
    this.#conversation?.ask({ typeUrl: configurationTypes[list].typeUrl, subscribe: fresh });
  }

  drop(list: FollowedList, names: readonly string[]): void {
    if (list === 'secrets') {
      this.#options.secrets.drop(names);
      this.#conversation?.ask({ typeUrl: secretTypeUrl, unsubscribe: names });
      return;
    }
    const gone = this.#wanted.drop(list, names);
    if (gone.length === 0) return;
    this.#conversation?.ask({ typeUrl: configurationTypes[list].typeUrl, unsubscribe: gone });
  }

  /** Ends this stream; the next one begins as if nothing were known. */
  restart(): void {
    this.#cancel();
  }

  /** Ends the stream from here, which says nothing of what the control plane knows. */
  #cancel(): void {
    this.#own.begin();
    this.#call?.cancel();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#call?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, synced } = this.#options;
    let failures = 0;
    while (!this.#end.signal.aborted) {
      const { wasSynced, isOlder, problem } = await this.#carry();
      synced(false);
      if (this.#end.signal.aborted) return;
      // Another replica may be asked at once.
      failures = wasSynced || isOlder ? 0 : failures + 1;
      const longest = Math.min(backOffMs.first * 2 ** failures, backOffMs.longest);
      const nextAttemptMs = Math.round(longest * (0.25 + 0.75 * clock.random()));
      const hasChanged = wasSynced || problem !== this.#problem;
      this.#problem = problem;
      log[hasChanged ? 'warn' : 'debug'](`no stream to the control plane: ${problem}`, { nextAttemptMs });
      await clock.sleep(nextAttemptMs, this.#end.signal);
    }
  }

  /** One stream from its begin to its end. */
  async #carry(): Promise<{ readonly wasSynced: boolean; readonly isOlder: boolean; readonly problem: string }> {
    const { address, checkMs = 30_000 } = this.#options;
    const identity = this.#identity as SecretSnapshot;
    const node = await this.#options.node();
    if (this.#end.signal.aborted) return { wasSynced: false, isOlder: false, problem: 'the agent stops' };
    const client = openChannel(address, identity);
    const call = openStream(client);
    const send = (ask: DeltaAsk): void => {
      if (call.writable) call.write(encodeDeltaAsk(ask));
    };
    const { view, secrets } = this.#options;
    const conversation = new Conversation({ view, secrets, wanted: this.#wanted.sets, send });
    this.#call = call;
    this.#conversation = conversation;
    const stream = { wasSynced: false, isOlder: false, answeredAtMs: performance.now() };
    this.#own.begin();
    this.#options.faults.begin();
    const check = setInterval(() => {
      if (performance.now() - stream.answeredAtMs > 2 * checkMs) this.#cancel();
      else conversation.sync();
    }, checkMs);
    check.unref();
    const problem = await new Promise<string>((resolve) => {
      call.on('data', (bytes: Buffer) => {
        try {
          if (!this.#receive(bytes, conversation)) return;
          stream.wasSynced = true;
          stream.answeredAtMs = performance.now();
        } catch (error) {
          call.cancel();
          resolve(`a response cannot be read: ${(error as Error).message}`);
        }
      });
      call.on('error', (error: ServiceError) => {
        stream.isOlder = error.code === olderCode;
        this.#tellsDigests = conversation.isCompared || !unknowing.has(error.code);
        // Names are the newest type: nobody says any more which of those that are had still hold.
        if (this.#own.ended(error.code)) this.#options.names?.clear();
        resolve(callFailure(error, address));
      });
      call.on('end', () => resolve(`${address} has ended the stream`));
      conversation.begin(node, this.#tellsDigests, this.#position.told);
    });
    clearInterval(check);
    this.#call = undefined;
    this.#conversation = undefined;
    call.on('error', () => undefined);
    call.cancel();
    client.close();
    if (stream.isOlder) this.#position.refused();
    return { ...stream, problem };
  }

  /** Gives true where the response says that all before it has come. */
  #receive(bytes: Buffer, conversation: Conversation): boolean {
    const { response, problem } = readDeltaResponse(bytes);
    const { typeUrl, nonce, resources } = response;
    if (typeUrl === setType) {
      conversation.compared(response);
      this.#position.accepted();
      return false;
    }
    const list = listOfType(typeUrl);
    if (list !== undefined) this.#position.take(positionIn(response.systemVersion));
    const answer = (refusal: string | undefined): void => {
      // The word about a response of an earlier stream is nobody's.
      if (this.#conversation !== conversation) return;
      const error = refusal === undefined ? undefined : { code: refusalCode, message: refusal };
      conversation.ask({ typeUrl, nonce, ...(error && { error }) });
    };
    if (typeUrl === secretTypeUrl && problem === undefined) {
      this.#options.secrets.take(response);
      answer(undefined);
      return false;
    }
    if ((typeUrl === faultType.typeUrl || typeUrl === nameType.typeUrl) && problem === undefined) {
      this.#own.answered(typeUrl);
      answer(this.#takeOwn(response));
      this.#askOwn(conversation);
      return false;
    }
    const fault = list === undefined ? `the type "${typeUrl}" was not asked for` : problem;
    if (list === undefined || fault !== undefined) {
      const reason = fault ?? '';
      this.#options.log.error('the control plane sent what cannot be taken', { type: typeUrl, reason });
      answer(reason);
      return false;
    }
    const removed = response.removed.filter((name) => name !== syncName);
    const isSync = list === 'endpoints' && removed.length < response.removed.length;
    if (resources.length === 0 && removed.length === 0) answer(undefined);
    else this.#options.take(list, { ...response, removed }, answer);
    if (isSync) {
      this.#problem = undefined;
      this.#options.secrets.settle();
      this.#options.synced(true);
      this.#askOwn(conversation);
    }
    return isSync;
  }

  /** Gives why a response cannot be taken. */
  #takeOwn(response: DeltaResponse): string | undefined {
    const { faults, names, log } = this.#options;
    if (response.typeUrl === faultType.typeUrl) faults.take(response);
    const reason = response.typeUrl === nameType.typeUrl ? names?.take(response) : undefined;
    if (reason !== undefined)
      log.error('the control plane sent what cannot be taken', { type: response.typeUrl, reason });
    return reason;
  }

  #askOwn(conversation: Conversation): void {
    const typeUrl = this.#own.next();
    if (typeUrl === undefined) return;
    // Of names that are all had already the control plane says nothing, but of the one that is not there.
    const had = { subscribe: ['*', syncName], initialVersions: this.#options.names?.versions ?? {} };
    conversation.ask({ typeUrl, ...(typeUrl === nameType.typeUrl ? had : { subscribe: ['*'] }) });
  }
}
