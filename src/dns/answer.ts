import type { DnsLog } from './dns-log.ts';
import type { Forwarder, Transport } from './forward.ts';
import type { MeshNames } from './mesh-names.ts';
import { failureOf, type Query, withId } from './message.ts';
import { answerFromTable, type NameTable } from './name-table.ts';
import type { DnsObserver } from './observer.ts';
import { answerWithOutside, outsideAlias, questionOutside } from './outside-alias.ts';
import type { OwnQueries } from './own-queries.ts';
import type { TlsUpstream } from './tls-upstream.ts';

export interface AnswererOptions {
  readonly names: MeshNames;
  readonly mesh: TlsUpstream;
  readonly others: Forwarder;
  readonly own: OwnQueries;
  readonly observer: DnsObserver;
  readonly log: DnsLog;
  /** Undefined: it is not known here which names there are. */
  readonly table: () => NameTable | undefined;
}

/** Queries of clients that are asked at one time; each of them costs a socket. */
const mostQueries = 512;

/**
 * Has a query answered: names of the mesh from the table where there is one, else by its own server alone, and all others by
 * those of the system. These are asked too where a name of the mesh stands for one outside of it, so that the client has
 * nothing left to ask. Whoever cannot be asked, the client hears SERVFAIL: no name is said not to be there because the network
 * failed, and none of the mesh is asked in the clear instead.
 */
export class Answerer {
  readonly #options: AnswererOptions;
  #running = 0;

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  async answer(query: Query, transport: Transport): Promise<Buffer> {
    const { names, mesh, others, own, observer, log } = this.#options;
    observer.requested();
    const table = this.#options.table();
    const known = table && answerFromTable(table, query, names);
    const isOfMesh = known !== undefined || names.has(query.labels);
    let asked = isOfMesh ? 'a name of the mesh' : 'a name';
    if (known !== undefined && outsideAlias(query, known, names) === undefined) return known;
    try {
      if (own.has(query)) throw new Error(loop);
      if (this.#running >= mostQueries) throw new Error(`${mostQueries} queries are being answered already`);
      this.#running += 1;
      try {
        const answer = known ?? withId(await (isOfMesh ? mesh.ask(query) : others.ask(query, transport)), query.id);
        const outside = isOfMesh ? outsideAlias(query, answer, names) : undefined;
        if (outside === undefined) return answer;
        asked = 'a name outside of the mesh that one of the mesh stands for';
        return answerWithOutside(query, outside, await others.ask(questionOutside(query, outside), transport));
      } finally {
        this.#running -= 1;
      }
    } catch (error) {
      observer.failed();
      log.failed(asked, error as Error);
      return failureOf(query);
    }
  }
}

const loop =
  'a query of the agent came back to it: run the agent as the user whose packets istio-iptables lets pass, and let the system name a DNS server that does not ask this one';
