import type { Client } from '../../access/evaluate/client.ts';
import { UsageError } from '../../lib/usage-error.ts';

const protocolNames = { http: ['http/1.1'], http2: ['h2'], tcp: [] } as const;

/** A client outside that uses TLS of its own, and asks for this server; throws for a workload, whose proxy chooses the name. */
export function withOwnTls(client: Client, serverName: string, protocol: keyof typeof protocolNames): Client {
  if (client.kind === 'workload') {
    throw new UsageError(
      `a server name (SNI) is of clients outside: the proxy of ${client.namespace}/${client.name} chooses its own; use "outside", an address or a SPIFFE ID`,
    );
  }
  return { ...client, tls: { serverName, alpn: protocolNames[protocol] } };
}

/** What is assumed of the first connection where nobody has said it; undefined where its client is in the mesh. */
export function tlsAssumption(client: Client): string | undefined {
  if (client.kind === 'workload' || client.tls !== undefined) return undefined;
  return client.identity === undefined
    ? 'the client uses no TLS of its own; with --sni NAME it uses TLS, and asks for that server'
    : 'the client names no server in its TLS; with --sni NAME it asks for that one';
}
