import { createSocket } from 'node:dgram';
import { decode, encode, type Packet } from 'dns-packet';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DnsBench } from './testing/dns-bench.ts';
import { addressesOf, ask, meshName, read, sendAllTcp, sendUdp } from './testing/dns-client.ts';
import { answerTo, silent, withAddress, withCode, withSize } from './testing/dns-double.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

const transports = [false, true] as const;

describe('serveDns', () => {
  test.each(transports)(
    'asks the mesh over TLS for its own names, the system for all others (tcp: %s)',
    async (tcp) => {
      const [mesh, plain] = [await bench.tls(withAddress('10.0.0.1')), await bench.plain(withAddress('192.0.2.1'))];
      const { port } = await bench.serve(mesh, [plain]);
      for (const name of [meshName, 'Reviews.Shop.GLOBAL', 'cluster.local']) {
        expect(addressesOf(await ask(port, name, { tcp }))).toEqual(['10.0.0.1']);
      }
      for (const name of ['example.com', 'notcluster.local', 'cluster.local.example.com', 'global.com']) {
        expect(addressesOf(await ask(port, name, { tcp }))).toEqual(['192.0.2.1']);
      }
      expect([mesh.heard.length, new Set(plain.heard.map((line) => line.slice(0, 3)))]).toEqual([
        3,
        new Set([tcp ? 'tcp' : 'udp']),
      ]);
    },
  );

  test('answers under the id and with the question of the client', async () => {
    const plain = await bench.plain(withAddress('192.0.2.1'));
    const { port } = await bench.serve(undefined, [plain]);
    const { id, questions, flag_qr: isAnswer } = await ask(port, 'Example.COM', { id: 65_535 });
    expect({ id, isAnswer, name: questions?.[0]?.name }).toEqual({ id: 65_535, isAnswer: true, name: 'Example.COM' });
  });

  test.each([
    ['NXDOMAIN', 3],
    ['NOERROR', 0],
    ['REFUSED', 5],
    ['SERVFAIL', 2],
    ['NOTIMP', 4],
  ])('passes %s on as it is', async (rcode, code) => {
    const [mesh, plain] = [await bench.tls(withCode(code)), await bench.plain(withCode(code))];
    const { port } = await bench.serve(mesh, [plain]);
    for (const name of [meshName, 'example.com']) {
      const heard = await ask(port, name, { type: 'AAAA' });
      expect({ rcode: heard.rcode, answers: heard.answers }).toEqual({ rcode, answers: [] });
    }
    expect(bench.warnings).toEqual([]);
  });

  test.each(transports)('says SERVFAIL when no server of the system answers (tcp: %s)', async (tcp) => {
    const mute = await bench.plain(silent);
    const gone = await bench.plain(silent);
    await gone.close();
    const { port } = await bench.serve(undefined, [mute, gone]);
    expect((await ask(port, 'example.com', { tcp })).rcode).toBe('SERVFAIL');
    expect(mute.heard.length).toBe(2);
    expect(bench.warnings).toEqual([expect.stringMatching(/^no answer from 127\.0\.0\.1/)]);
  });

  test.each(transports)(
    'asks the next server when one is silent or cannot, and then that one first (tcp: %s)',
    async (tcp) => {
      const mute = await bench.plain(silent);
      const unable = await bench.plain(withCode(2));
      const good = await bench.plain(withAddress('192.0.2.1'));
      const { port } = await bench.serve(undefined, [mute, unable, good]);
      expect(addressesOf(await ask(port, 'one.example', { tcp }))).toEqual(['192.0.2.1']);
      expect(addressesOf(await ask(port, 'two.example', { tcp }))).toEqual(['192.0.2.1']);
      expect([mute, unable, good].map(({ heard }) => heard.length)).toEqual([1, 1, 2]);
    },
  );

  test('asks again when a datagram is lost', async () => {
    const plain = await bench.plain((query, send, way) => {
      if (plain.heard.length > 1) withAddress('192.0.2.1')(query, send, way);
    });
    const { port } = await bench.serve(undefined, [plain]);
    expect(addressesOf(await ask(port, 'example.com'))).toEqual(['192.0.2.1']);
    expect(plain.heard.length).toBe(2);
  });

  test('ignores answers with another id, question or port', async () => {
    const spoofs: readonly ((query: Packet) => Buffer)[] = [
      (query) => answerTo({ ...query, id: ((query.id ?? 0) + 1) & 0xffff }, { answers: [poison] }),
      (query) => answerTo({ ...query, questions: [{ type: 'A', name: 'other.example' }] }, { answers: [poison] }),
      (query) => answerTo({ ...query, questions: [] }, { answers: [poison] }),
      (query) => encode({ ...query, type: 'query', answers: [poison] }),
      () => Buffer.from([1, 2, 3]),
    ];
    const poison = { type: 'A', name: 'example.com', ttl: 30, data: '203.0.113.66' } as const;
    const stranger = createSocket('udp4');
    const plain = await bench.plain((query, send, way) => {
      for (const spoof of spoofs) send(spoof(query));
      stranger.send(answerTo(query, { answers: [poison] }), way.port, '127.0.0.1', () =>
        withAddress('192.0.2.1')(query, send, way),
      );
    });
    const { port } = await bench.serve(undefined, [plain]);
    expect(addressesOf(await ask(port, 'example.com'))).toEqual(['192.0.2.1']);
    stranger.close();
  });

  test('asks with ever other ids', async () => {
    const ids = new Set<number | undefined>();
    const plain = await bench.plain((query, send) => {
      ids.add(query.id);
      withAddress('192.0.2.1')(query, send, {});
    });
    const { port } = await bench.serve(undefined, [plain]);
    for (let n = 0; n < 20; n++) await ask(port, 'example.com', { id: 1 });
    expect(ids.size).toBeGreaterThan(15);
  });

  test.each([
    { size: 512, whole: true },
    { size: 513, whole: false },
    { size: 1_232, udpSize: 1_232, whole: true },
    { size: 1_233, udpSize: 1_232, whole: false },
    { size: 4_096, udpSize: 4_096, whole: true },
    { size: 4_097, udpSize: 4_096, whole: false },
    { size: 600, udpSize: 100, whole: false },
    { size: 65_000, udpSize: 65_535, whole: true },
    { size: 65_000, udpSize: 1_232, whole: false },
    { size: 65_000, tcp: true, whole: true },
    { size: 65_535, tcp: true, whole: true },
  ])(
    'gives an answer of $size octets whole: $whole (EDNS $udpSize, tcp: $tcp)',
    async ({ size, whole, ...options }) => {
      const mesh = await bench.tls(withSize(size));
      const { port } = await bench.serve(mesh, []);
      const heard = await ask(port, meshName, { ...options, type: 'NULL' });
      expect(heard.flag_tc).toBe(!whole);
      expect(heard.questions?.[0]?.name).toBe(meshName);
      if (whole) expect(heard.size).toBe(size);
      else expect(heard.size).toBeLessThan(512);
    },
  );

  test('passes on that an answer was cut, and gives it whole over TCP', async () => {
    const plain = await bench.plain((query, send) => send(answerTo(query, { flags: 0x0200 })));
    const { port } = await bench.serve(undefined, [plain]);
    expect((await ask(port, 'example.com')).flag_tc).toBe(true);
    plain.reply = withSize(20_000);
    expect((await ask(port, 'example.com', { tcp: true, type: 'NULL' })).size).toBe(20_000);
    expect(plain.heard).toEqual(['udp example.com', 'tcp example.com']);
  });

  test('keeps the answers of many queries apart over one connection, in whatever order they come', async () => {
    const held: (() => void)[] = [];
    const mesh = await bench.tls((query, send) => {
      held.push(() => withAddress(`10.0.0.${Number.parseInt(query.questions?.[0]?.name ?? '', 10)}`)(query, send, {}));
      if (held.length === 100) for (const answer of held.reverse()) answer();
    });
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 5_000 } });
    const names = Array.from({ length: 100 }, (_, n) => `${n}.cluster.local`);
    const heard = await Promise.all(names.map((name) => ask(port, name, { id: 7 })));
    expect(heard.flatMap(addressesOf)).toEqual(names.map((_, n) => `10.0.0.${n}`));
    expect(mesh.connections).toBe(1);
  });

  test('answers queries that share a connection as they are ready, and after the client has closed its half', async () => {
    const plain = await bench.plain((query, send) => {
      const isSlow = query.questions?.[0]?.name === 'slow.example';
      setTimeout(() => withAddress('192.0.2.1')(query, send, {}), isSlow ? 60 : 0);
    });
    const { port } = await bench.serve(undefined, [plain]);
    const query = (id: number, name: string): Buffer => encode({ type: 'query', id, questions: [{ type: 'A', name }] });
    const answers = await sendAllTcp(port, [query(1, 'slow.example'), query(2, 'fast.example')]);
    expect(answers.map((answer) => decode(answer).id)).toEqual([2, 1]);
  });

  test.each([
    ['format error', (query: Buffer) => query.fill(0xff, 12, 14), 'FORMERR'],
    ['format error of two questions', (query: Buffer) => query.fill(2, 5, 6), 'FORMERR'],
    ['format error of a cut question', (query: Buffer) => query.subarray(0, 15), 'FORMERR'],
    ['other operation', (query: Buffer) => query.fill(0x28, 2, 3), 'NOTIMP'],
    ['zone transfer', (query: Buffer) => query.fill(252, query.length - 3, query.length - 2), 'NOTIMP'],
  ])('answers a %s itself', async (_, change, rcode) => {
    const plain = await bench.plain(silent);
    const { port } = await bench.serve(undefined, [plain]);
    const query = encode({ type: 'query', id: 9, questions: [{ type: 'A', name: 'example.com' }] });
    const heard = read(await sendUdp(port, change(query)));
    expect({ id: heard.id, rcode: heard.rcode, passedOn: plain.heard }).toEqual({ id: 9, rcode, passedOn: [] });
  });

  test('serves both families, and no port that somebody else has', async () => {
    const plain = await bench.plain(withAddress('192.0.2.1'));
    const both = await bench.serve(undefined, [plain], { addresses: ['127.0.0.1', '::1'] });
    for (const tcp of transports) {
      expect(addressesOf(await ask(both.port, 'example.com', { address: '::1', tcp }))).toEqual(['192.0.2.1']);
    }
    const taken = bench.serve(undefined, [plain], { port: both.port });
    await expect(taken).rejects.toMatchObject({ code: 'dns-bind-failed', cause: { code: 'EADDRINUSE' } });
  });
});
