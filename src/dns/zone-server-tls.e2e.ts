import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../testing/certificates.ts';
import { FrameReader, frame } from './frames.ts';
import { read } from './testing/dns-client.ts';
import { observed, queryFor, responder, secret, web } from './testing/served-zone.ts';
import { serveZoneOverTls, type TlsParts, type ZoneServer } from './zone-server.ts';

const servers: ZoneServer[] = [];
afterEach(async () => {
  observed.length = 0;
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('serveZoneOverTls', () => {
  let ca: MeshCa;
  let own: IssuedCertificate;
  beforeAll(async () => {
    ca = await createMeshCa();
    own = await ca.issue('', { uris: [], dnsNames: ['meshd.example'] });
  });

  /** Namespaces are what the certificates' first DNS names say. */
  const identify: TlsParts['identify'] = (raw) => {
    const namespace = /(shop|bank)/.exec(raw.toString('latin1'))?.[1];
    return namespace === undefined ? undefined : { viewer: namespace };
  };

  async function serveTls(): Promise<{ readonly port: number; readonly renew: (pair: IssuedCertificate) => void }> {
    let renew: (pair: IssuedCertificate) => void = () => undefined;
    const followPair: TlsParts['followPair'] = (use) => {
      renew = ({ certificateChain, privateKey }) => use({ certificateChain, privateKey, roots: ca.rootCertificate });
      renew(own);
    };
    const server = await serveZoneOverTls(responder(), { address: '127.0.0.1', port: 0 }, { followPair, identify });
    servers.push(server);
    return { port: server.port, renew };
  }

  /** Asks over one connection; what comes back, or nothing where the connection was closed. */
  async function askTls(port: number, name: string, client?: IssuedCertificate): Promise<string | undefined> {
    const socket = connectTls({
      ...{ host: '127.0.0.1', port, ca: ca.rootCertificate, servername: 'meshd.example' },
      ...(client && { cert: client.certificateChain, key: client.privateKey }),
    });
    const answer = await firstAnswer(socket, queryFor(name));
    socket.destroy();
    return answer && read(answer).rcode;
  }

  function firstAnswer(socket: Socket, query: Buffer): Promise<Buffer | undefined> {
    const reader = new FrameReader();
    return new Promise((resolve) => {
      socket.on('data', (chunk) => resolve(reader.push(chunk)[0]));
      socket.on('error', () => resolve(undefined));
      socket.on('close', () => resolve(undefined));
      socket.write(frame(query));
    });
  }

  const issue = (namespace: string, options = {}): Promise<IssuedCertificate> =>
    ca.issue(`spiffe://cluster.local/ns/${namespace}/sa/a`, options);

  test('tells callers with a certificate the names of their namespace, and others those of everybody', async () => {
    const { port } = await serveTls();
    expect(await askTls(port, web)).toBe('NOERROR');
    expect(await askTls(port, secret)).toBe('NXDOMAIN');
    expect(await askTls(port, secret, await issue('bank'))).toBe('NXDOMAIN');
    expect(await askTls(port, secret, await issue('shop'))).toBe('NOERROR');
    expect(observed.map((line) => line.slice(0, 3))).toEqual(['tls', 'tls', 'tls', 'tls']);
  });

  test('closes connections whose certificate is of another root, has expired, or names nobody', async () => {
    const { port } = await serveTls();
    const other = await (await createMeshCa()).issue('spiffe://cluster.local/ns/shop/sa/a');
    for (const client of [other, await issue('shop', { days: -1 }), await issue('nobody')])
      expect(await askTls(port, web, client)).toBeUndefined();
    expect(observed).toEqual([]);
  });

  test('shows the newest certificate to new connections', async () => {
    const { port, renew } = await serveTls();
    const shown = async (): Promise<string> => {
      const socket = connectTls({ host: '127.0.0.1', port, ca: ca.rootCertificate, servername: 'meshd.example' });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await shown();
    renew(await ca.issue('', { uris: [], dnsNames: ['meshd.example'] }));
    expect(await shown()).not.toBe(before);
  });

  test('closes a connection that speaks no TLS', async () => {
    const { port } = await serveTls();
    expect(await firstAnswer(connectPlain(port, '127.0.0.1'), queryFor(web))).toBeUndefined();
  });
});
