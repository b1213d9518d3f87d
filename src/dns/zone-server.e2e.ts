import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encode } from 'dns-packet';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../testing/certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { FrameReader, frame } from './frames.ts';
import { responseCode, responseCodeOf } from './message.ts';
import { addressesOf, ask, read, sendAllTcp, sendUdp } from './testing/dns-client.ts';
import { zoneName, zoneOf } from './testing/sample-zone.ts';
import type { Zone } from './zone.ts';
import { ZoneResponder } from './zone-responder.ts';
import { serveZone, serveZoneOverTls, type TlsParts, type ZoneServer } from './zone-server.ts';

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.9.${i >> 8}.${i & 0xff}`);
const [web, large, secret] = ['web', 'large', 'secret'].map((name) => `${name}.shop.svc.cluster.local`) as [
  string,
  string,
  string,
];
const zone = zoneOf([
  zoneName(web, { addresses: ['10.0.0.1'] }),
  zoneName(large, { addresses: many(200) }),
  zoneName(secret, { viewers: ['shop'], addresses: ['10.0.0.2'] }),
]);

const servers: ZoneServer[] = [];
const observed: string[] = [];
afterEach(async () => {
  observed.length = 0;
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function responder(served: Zone | undefined = zone, burst = 1e6): ZoneResponder {
  const observe = (transport: string, outcome: string): void => void observed.push(`${transport} ${outcome}`);
  return new ZoneResponder({ zone: () => served, observe, rate: { perSecond: 0.001, burst } });
}

async function serve(...of: Parameters<typeof responder>): Promise<number> {
  const server = await serveZone(responder(...of), { address: '127.0.0.1', port: 0 });
  servers.push(server);
  return server.port;
}

const queryFor = (name: string, id = 7): Buffer => encode({ type: 'query', id, questions: [{ type: 'A', name }] });

/** What comes after all messages have been sent over UDP, and a last one that is answered. */
async function heardFor(port: number, messages: readonly Buffer[]): Promise<Buffer[]> {
  const socket = createSocket('udp4');
  const heard: Buffer[] = [];
  socket.on('message', (message) => heard.push(message));
  for (const message of messages) socket.send(message, port, '127.0.0.1');
  // The system keeps the order of what one socket sends another one on this machine.
  socket.send(queryFor(web, 0xffff), port, '127.0.0.1');
  await eventually(() => expect(heard.map((message) => message.readUInt16BE(0))).toContain(0xffff));
  socket.close();
  return heard.filter((message) => message.readUInt16BE(0) !== 0xffff);
}

describe('serveZone', () => {
  test.each([false, true])('answers for names of the mesh alone (tcp: %s)', async (tcp) => {
    const port = await serve();
    expect(addressesOf(await ask(port, web, { tcp }))).toEqual(['10.0.0.1']);
    expect((await ask(port, 'www.example.com', { tcp })).rcode).toBe('REFUSED');
    expect((await ask(port, secret, { tcp })).rcode).toBe('NXDOMAIN');
    const way = tcp ? 'tcp' : 'udp';
    expect(observed).toEqual([`${way} answered`, `${way} refused`, `${way} missing`]);
  });

  test.each([
    [undefined, 512],
    [700, 700],
    [4_096, 1_232],
    [65_535, 1_232],
  ])(
    'sends no datagram that is longer than what the client takes, and 1232 octets (EDNS %s)',
    async (udpSize, most) => {
      const port = await serve();
      const cut = await ask(port, large, { ...(udpSize !== undefined && { udpSize }) });
      expect({ isCut: cut.flag_tc, answers: cut.answers }).toEqual({ isCut: true, answers: [] });
      expect(cut.size).toBeLessThanOrEqual(most);
      const whole = await ask(port, large, { tcp: true });
      expect({ isCut: whole.flag_tc, count: new Set(addressesOf(whole)).size }).toEqual({ isCut: false, count: 200 });
    },
  );

  test('answers many queries that follow each other over one connection, each under its id', async () => {
    const port = await serve();
    const messages = Array.from({ length: 300 }, (_, id) => queryFor(id % 2 === 0 ? web : large, id));
    const answers = await sendAllTcp(port, messages);
    const heard = new Map(answers.map((answer) => [answer.readUInt16BE(0), read(answer).answers?.length]));
    expect(heard).toEqual(new Map(messages.map((_, id) => [id, id % 2 === 0 ? 1 : 200])));
  });

  test('says SERVFAIL before it knows the names', async () => {
    const unknown = new ZoneResponder({
      zone: () => undefined,
      observe: () => undefined,
      rate: { perSecond: 1, burst: 9 },
    });
    const server = await serveZone(unknown, { address: '127.0.0.1', port: 0 });
    servers.push(server);
    expect((await ask(server.port, web)).rcode).toBe('SERVFAIL');
  });

  const loop = Buffer.concat([queryFor(web).subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
  test.each<[string, Buffer, number]>([
    ['no question', encode({ type: 'query', id: 7, questions: [] }), responseCode.formatError],
    [
      'two questions',
      encode({
        type: 'query',
        id: 7,
        questions: [
          { type: 'A', name: web },
          { type: 'A', name: web },
        ],
      }),
      responseCode.formatError,
    ],
    ['a name that points to itself', loop, responseCode.formatError],
    ['a question that is cut off', queryFor(web).subarray(0, 20), responseCode.formatError],
    [
      'a label of 64 octets',
      Buffer.concat([queryFor(web).subarray(0, 12), Buffer.from([64]), Buffer.alloc(70)]),
      responseCode.formatError,
    ],
    ['octets after its end', Buffer.concat([queryFor(web), Buffer.from([1])]), responseCode.formatError],
    [
      'a transfer of the zone',
      encode({ type: 'query', id: 7, questions: [{ type: 'AXFR', name: 'cluster.local' }] }),
      responseCode.refused,
    ],
    [
      'a change of the zone',
      Buffer.concat([Buffer.from([0, 7, 0x28, 0]), queryFor(web).subarray(4)]),
      responseCode.notImplemented,
    ],
    ['another class', Buffer.concat([queryFor(web).subarray(0, -1), Buffer.from([3])]), responseCode.refused],
  ])('answers %s with a code alone, over UDP and TCP', async (_, message, code) => {
    const port = await serve();
    for (const answer of [await sendUdp(port, message), (await sendAllTcp(port, [message]))[0] as Buffer]) {
      expect([responseCodeOf(answer), answer.readUInt16BE(6), answer.readUInt16BE(0)]).toEqual([code, 0, 7]);
      expect(answer.length).toBeLessThanOrEqual(Math.max(12, message.length));
    }
  });

  test('answers no answers, and nothing that is no message', async () => {
    const port = await serve();
    const answer = encode({ type: 'response', id: 7, questions: [{ type: 'A', name: web }] });
    expect(await heardFor(port, [answer, Buffer.alloc(0), Buffer.from([0, 7, 0])])).toEqual([]);
    expect(await sendAllTcp(port, [answer, queryFor(web)])).toEqual([]);
  });

  test('gives a source that asks too often less than it sends, and others all', async () => {
    const port = await serve(zone, 20);
    const messages = Array.from({ length: 400 }, (_, id) => queryFor(large, id));
    const socket = createSocket('udp4');
    const heard: Buffer[] = [];
    socket.on('message', (message) => heard.push(message));
    for (const message of messages) {
      socket.send(message, port, '127.0.0.1');
      // No faster than the system's buffer is emptied.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(observed).toHaveLength(400));
    await eventually(() => expect(heard).toHaveLength(20 + 95));
    socket.close();
    const limited = heard.filter((message) => message.readUInt16BE(0) >= 20);
    expect(limited.every((message) => message.length <= queryFor(large).length)).toBe(true);
    expect(limited.every((message) => (message.readUInt8(2) & 0x02) !== 0)).toBe(true);
    // Another source, and the same one over TCP.
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.2');
    await once(other, 'listening');
    other.send(queryFor(web), port, '127.0.0.1');
    const [answer] = (await once(other, 'message')) as [Buffer];
    other.close();
    expect(read(answer).answers).toHaveLength(1);
    expect(addressesOf(await ask(port, large, { tcp: true }))).toHaveLength(200);
  });

  test('says which port it could not have', async () => {
    const port = await serve();
    await expect(serveZone(responder(), { address: '127.0.0.1', port })).rejects.toThrow(
      `cannot serve DNS on 127.0.0.1 port ${port}`,
    );
  });
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
