import type { Client } from '../../access/evaluate/client.ts';

const protocolNames = { http: ['http/1.1'], http2: ['h2'], tcp: [] } as const;

/** A client that uses TLS of its own, and asks for this server; a workload does before its proxy sees the connection. */
export function withOwnTls(client: Client, serverName: string, protocol: keyof typeof protocolNames): Client {
  return { ...client, tls: { serverName, alpn: protocolNames[protocol] } };
}

/** What is assumed of a request of a workload to a port of this protocol. */
export function plainTextAssumption(client: Client, protocol: string | undefined): string | undefined {
  if (client.kind !== 'workload' || client.tls !== undefined || !/^(?:tls|https)$/i.test(protocol ?? ''))
    return undefined;
  return `the client sends plain text to a port of ${protocol?.toUpperCase()}; with --sni NAME it uses TLS of its own, and asks for that server`;
}

/** What is assumed of the first connection where nobody has said it; undefined where its client is in the mesh. */
export function tlsAssumption(client: Client): string | undefined {
  if (client.kind === 'workload' || client.tls !== undefined) return undefined;
  return client.identity === undefined
    ? 'the client uses no TLS of its own; with --sni NAME it uses TLS, and asks for that server'
    : 'the client names no server in its TLS; with --sni NAME it asks for that one';
}
