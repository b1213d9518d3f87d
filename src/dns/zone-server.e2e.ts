import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { encode } from 'dns-packet';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { responseCode, responseCodeOf } from './message.ts';
import { addressesOf, ask, read, sendAllTcp, sendUdp } from './testing/dns-client.ts';
import { large, observed, queryFor, responder, secret, web, zone } from './testing/served-zone.ts';
import { ZoneResponder } from './zone-responder.ts';
import { serveZone, type ZoneServer } from './zone-server.ts';

const servers: ZoneServer[] = [];
afterEach(async () => {
  observed.length = 0;
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(...of: Parameters<typeof responder>): Promise<number> {
  const server = await serveZone(responder(...of), { address: '127.0.0.1', port: 0 });
  servers.push(server);
  return server.port;
}

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
