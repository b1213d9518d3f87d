import type { Refusal } from './message.ts';
import type { ViewSource } from './resource-store.ts';
import type { Culprit } from './suspects.ts';

/** One step of a change that concerns several types. */
export interface PushStep {
  readonly typeUrl: string;
  /** Whether the client hears now of what is gone. */
  readonly removes: boolean;
  /** The client's word about all steps before is waited for. */
  readonly waits: boolean;
  /**
   * So long after its turn has come the client hears of what is gone: a request that waits in one of Envoy's filters, or for
   * its turn on a connection, still leads there.
   */
  readonly lingerMs?: number;
  /** A type whose resources of the same names come again after these. */
  readonly repeats?: string;
}

/** A response as it is sent. */
export interface SentNote {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: number;
}

/** What one stream is served. */
export interface StreamScope {
  /** Undefined: the type is not served here. */
  sourceOf(typeUrl: string): ViewSource | undefined;
  /** In this order a change is sent. */
  readonly steps: readonly PushStep[];
  /** So long the client's word is waited for at most; Envoy gives none while clusters warm. */
  readonly stepTimeoutMs: number;
  /** The most names that one type may have of a client. */
  mostNames(typeUrl: string): number;
  /** Gives the function that ends the subscription. */
  onChange(listener: () => void): () => void;
  /** What the nonces of responses that are made now begin with; absent: nothing. */
  readonly noncePrefix?: string;
  sent?(response: SentNote): void;
  /** The client has answered a response: by taking it, or by the refusal. */
  answered?(typeUrl: string, refusal: Refusal | undefined, nonce: string): void;
  /** The client says that it has everything of the type that it may have now; it may also have what is gone and lingers. */
  complete?(typeUrl: string): void;
  /** After each request: the names that no resource answers yet, and those that the client wants no more. */
  asked?(typeUrl: string, names: { readonly lacking: readonly string[]; readonly dropped: readonly string[] }): void;
  /** The client refuses these by themselves. */
  isolated?(typeUrl: string, culprits: readonly Culprit[]): void;
  /**
   * A request of so many bytes was taken; `isAnswer`: it is the client's word about a response. Gives for how many
   * milliseconds the client's next one is not read.
   */
  pace?(bytes: number, isAnswer: boolean): number;
  /** Everything is sent and answered; what is gone may still linger. */
  settled?(): void;
  closed?(): void;
}

/** The scope of a stream that carries one type. */
export function singleScope(source: ViewSource & Pick<StreamScope, 'onChange'>, mostNames: number): StreamScope {
  const { typeUrl } = source.type;
  return {
    sourceOf: (asked) => (asked === '' || asked === typeUrl ? source : undefined),
    steps: [{ typeUrl, removes: true, waits: false }],
    stepTimeoutMs: 0,
    mostNames: () => mostNames,
    onChange: (listener) => source.onChange(listener),
  };
}

/** Why a stream is not served; the client is told. */
export class StreamRefusal extends Error {
  override readonly name = 'StreamRefusal';
  /** Of gRPC's status codes. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
