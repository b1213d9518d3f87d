import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { within } from '../lib/abort.ts';
import { deliverySource } from '../lib/proxy-addresses.ts';
import type { Family } from './config.ts';

/** Addresses of one family that the probe uses: from `loopback` to `delivery`, where nothing listens. */
export interface ProbeFamily {
  readonly name: Family;
  readonly loopback: string;
  /** What the proxy calls its application from; the probe's destination because the rules leave `loopback` alone. */
  readonly delivery: string;
}

export const probeFamilies: Readonly<Record<Family, ProbeFamily>> = {
  IPv4: { name: 'IPv4', loopback: '127.0.0.1', delivery: deliverySource.IPv4 },
  IPv6: { name: 'IPv6', loopback: '::1', delivery: deliverySource.IPv6 },
};

/** How one probe ended: at a port of ours, at somebody else's, with no word from anybody, or with the system's error code. */
export type ProbeEnd =
  | { readonly kind: 'arrived'; readonly port: number }
  | { readonly kind: 'stranger' }
  | { readonly kind: 'silent'; readonly isConnected: boolean }
  | { readonly kind: 'error'; readonly code: string };

/** Open ports that answer each connection with a token of their own. */
export interface ProbeListener {
  /** Ports that could not be opened, with the system's error code. */
  readonly refused: ReadonlyMap<number, string>;
  portOf(token: string): number | undefined;
  close(): Promise<void>;
}

const tokenLength = 32;

/** Listens at the family's loopback address, where a redirected packet of this host arrives. */
export async function openProbeListener(family: ProbeFamily, ports: readonly number[]): Promise<ProbeListener> {
  const tokens = new Map<string, number>();
  const refused = new Map<number, string>();
  const servers: Server[] = [];
  for (const port of new Set(ports)) {
    const token = randomBytes(tokenLength / 2).toString('hex');
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(token);
    });
    server.listen({ port, host: family.loopback, ipv6Only: true });
    try {
      await once(server, 'listening');
    } catch (error) {
      refused.set(port, codeOf(error));
      continue;
    }
    tokens.set(token, port);
    servers.push(server);
  }
  return {
    refused,
    portOf: (token) => tokens.get(token),
    close: async () => {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/**
 * One connection to the delivery address and `port`. Node cannot read SO_ORIGINAL_DST: that the token of a listener of
 * ours comes back over a connection to `delivery`:`port` says the same, the destination was changed on the way.
 */
export async function probe(
  family: ProbeFamily,
  { port, source = family.loopback }: { readonly port: number; readonly source?: string },
  listener: ProbeListener,
  patienceMs: number,
): Promise<ProbeEnd> {
  const socket = connect({ host: family.delivery, port, localAddress: source });
  try {
    const token = await within(patienceMs, firstBytes(socket));
    if (token === undefined) return { kind: 'silent', isConnected: !socket.connecting };
    const arrivedAt = listener.portOf(token);
    return arrivedAt === undefined ? { kind: 'stranger' } : { kind: 'arrived', port: arrivedAt };
  } catch (error) {
    return { kind: 'error', code: codeOf(error) };
  } finally {
    socket.destroy();
  }
}

/** Resolves with a token's length of text, or less when the other side closes before. */
function firstBytes(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.length >= tokenLength) resolve(text);
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
