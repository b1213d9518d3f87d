import type { RequestListener } from 'node:http';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import type { KeySetResult } from '../key-set.ts';
import { createKeySetResolver, type KeySetResolver, type KeySetResolverOptions } from '../resolve.ts';
import { keySetText, kidsOf, publicJwk } from './keys.ts';
import { recorder } from './recorder.ts';

/** How a server of the bench speaks TLS; an empty object for a certificate without DNS names. */
export interface Served {
  readonly dnsNames?: readonly string[];
  readonly days?: number;
}

/** Real servers on loopback, a DNS of made-up names, and resolvers that may go to `keys.test` and `two.test` alone. */
export class NetworkBench {
  static readonly issuer = 'https://issuer.example.com';
  readonly ca: MeshCa;
  /** A good key set of one key, `a`. */
  readonly body: string;
  readonly #ends: (() => unknown)[] = [];

  static async create(): Promise<NetworkBench> {
    return new NetworkBench(await createMeshCa(), keySetText(await publicJwk('a')));
  }

  private constructor(ca: MeshCa, body: string) {
    this.ca = ca;
    this.body = body;
  }

  /** Answers every request with the good key set. */
  readonly sendKeys: RequestListener = (_request, response) => void response.end(this.body);

  async serve(answer: RequestListener, options?: Served): Promise<TestServer> {
    const certificate = options && (await this.ca.issue('spiffe://cluster.local/ns/a/sa/keys', options));
    const server = await startTestServer(answer, certificate ? { certificate } : {});
    this.#ends.push(() => server.close());
    return server;
  }

  open(options: Partial<KeySetResolverOptions>): KeySetResolver {
    const resolver = createKeySetResolver({
      observer: recorder(),
      lookup: zoneLookup,
      allowedHosts: ['keys.test', 'two.test'],
      extraRoots: this.ca.rootCertificate,
      ...options,
    });
    this.#ends.push(() => resolver.close());
    return resolver;
  }

  /** One try, without retries unless the options say so. */
  get(jwksUri: string, options: Partial<KeySetResolverOptions> = {}): Promise<KeySetResult> {
    return this.open({ timings: { retries: 0 }, ...options }).get({ issuer: NetworkBench.issuer, jwksUri });
  }

  /** The `kid`s of what came, or the fault. */
  async kids(jwksUri: string, options?: Partial<KeySetResolverOptions>): Promise<unknown> {
    const { keySet, fault } = await this.get(jwksUri, options);
    return keySet === undefined ? fault : kidsOf(keySet.text);
  }

  /** Closes all that was opened since the last time. */
  async clear(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }
}

/** Names that are not here have no address. */
const zone: Readonly<Record<string, readonly string[]>> = {
  'keys.test': ['127.0.0.1'],
  'internal.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'two.test': ['127.0.0.9', '127.0.0.1'],
};

/** Answers from the made-up zone. */
export function zoneLookup(hostname: string): Promise<readonly string[]> {
  return Promise.resolve(zone[hostname] ?? []);
}
