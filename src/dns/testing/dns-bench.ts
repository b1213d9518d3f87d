import { createMeshCa, type IssueOptions, type MeshCa } from '../../testing/certificates.ts';
import { freePort } from '../../testing/free-ports.ts';
import { type DnsOptions, type DnsServer, serveDns } from '../serve.ts';
import { type DnsDouble, type Reply, startDouble } from './dns-double.ts';

/** Servers of one test, and what they logged; `close` ends them all. */
export class DnsBench {
  readonly ca: MeshCa;
  readonly warnings: string[] = [];
  readonly #ends: (() => Promise<void>)[] = [];

  static async create(): Promise<DnsBench> {
    return new DnsBench(await createMeshCa());
  }

  private constructor(ca: MeshCa) {
    this.ca = ca;
  }

  async plain(reply: Reply): Promise<DnsDouble> {
    return this.#keep(await startDouble(reply));
  }

  /** Speaks TLS as `localhost`, unless told otherwise. */
  async tls(reply: Reply, options: IssueOptions = { dnsNames: ['localhost'] }, ca = this.ca): Promise<DnsDouble> {
    return this.#keep(
      await startDouble(reply, await ca.issue('spiffe://cluster.local/ns/mesh-system/sa/dns', options)),
    );
  }

  /**
   * The server under test, whose mesh is `cluster.local` and `global`; waits for other servers are a quarter of the
   * usual ones.
   */
  async serve(
    mesh: DnsDouble | undefined,
    plain: readonly DnsDouble[],
    changes: Partial<DnsOptions> = {},
  ): Promise<DnsServer> {
    return this.#keep(
      await serveDns({
        addresses: ['127.0.0.1'],
        port: await freePort(),
        meshSuffixes: ['cluster.local', 'global'],
        meshServer: { host: 'localhost', port: mesh?.port ?? 9, readRoots: async () => this.ca.rootCertificate },
        servers: async () => plain.map(({ port }) => ({ address: '127.0.0.1', port })),
        log: { info: () => undefined, warn: (_message, fields) => this.warnings.push(String(fields?.reason)) },
        timing: { queryMs: 2_000, firstBackoffMs: 100, attemptMs: 500, overallMs: 1_250 },
        ...changes,
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    this.warnings.length = 0;
  }

  #keep<T extends { close(): Promise<void> }>(it: T): T {
    this.#ends.push(() => it.close());
    return it;
  }
}
