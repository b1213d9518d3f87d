import { mostProbes } from '../../xds/suspects.ts';

/** What one client has refused. */
export interface ClientRecord {
  /** Resources that it refuses by themselves, and is not sent again in the same version; see `HeldBack`. */
  readonly refused: ReadonlySet<string>;
  /** Message of its last NACK; undefined: it has refused nothing. */
  readonly message: string | undefined;
  /** It has refused so many responses, one after the other, that it refuses whatever comes. */
  readonly isFaulty: boolean;
}

const noRecord: ClientRecord = { refused: new Set(), message: undefined, isFaulty: false };

/** Of more clients, those are forgotten that were heard of least lately. */
const mostClients = 10_000;
/** Of one client; what it refuses beside them is sent again when it comes back. */
const mostRefused = 256;

interface Kept {
  readonly refused: Set<string>;
  message: string | undefined;
  inARow: number;
}

/** Remembers what clients have refused, across their connections, as long as the server runs. */
export class ClientRecords {
  readonly #clients = new Map<string, Kept>();

  /** No client has refused anything. */
  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  of(client: string): ClientRecord {
    const kept = this.#clients.get(client);
    if (kept === undefined) return noRecord;
    const { refused, message, inARow } = kept;
    return { refused, message, isFaulty: inARow >= mostProbes };
  }

  /** The client answers a response: with the message of its refusal, or with none. Gives true when it is faulty from now on. */
  answered(client: string, refusal: string | undefined): boolean {
    const kept = this.#clients.get(client);
    if (refusal === undefined) {
      if (kept !== undefined) kept.inARow = 0;
      if (kept?.refused.size === 0) this.#clients.delete(client);
      return false;
    }
    const record = this.#take(client);
    record.message = refusal;
    record.inARow++;
    return record.inARow === mostProbes;
  }

  /** The client refuses a resource by itself. Gives true when that is news. */
  refuses(client: string, resource: string): boolean {
    const { refused } = this.#take(client);
    if (refused.has(resource) || refused.size >= mostRefused) return false;
    refused.add(resource);
    return true;
  }

  /** Every resource that some client refuses. */
  *all(): Iterable<string> {
    for (const { refused } of this.#clients.values()) yield* refused;
  }

  /** Forgets refusals of what is not served any more. */
  keep(isServed: (resource: string) => boolean): void {
    for (const [client, { refused, inARow }] of this.#clients) {
      for (const resource of refused) if (!isServed(resource)) refused.delete(resource);
      if (refused.size === 0 && inARow === 0) this.#clients.delete(client);
    }
  }

  #take(client: string): Kept {
    const kept = this.#clients.get(client) ?? { refused: new Set(), message: undefined, inARow: 0 };
    this.#clients.delete(client);
    this.#clients.set(client, kept);
    if (this.#clients.size > mostClients) this.#clients.delete([...this.#clients.keys()][0] ?? '');
    return kept;
  }
}
