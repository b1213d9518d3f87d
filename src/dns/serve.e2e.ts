import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { decode, encode, type Packet } from 'dns-packet';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { DnsBench } from './testing/dns-bench.ts';
import { ask, type Heard, read, sendAllTcp, sendUdp } from './testing/dns-client.ts';
import { answerTo, type Reply, withAddress, withCode, withSize } from './testing/dns-double.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

const silent: Reply = () => undefined;
const addresses = ({ answers = [] }: Heard): unknown[] => answers.map((answer) => 'data' in answer && answer.data);
const meshName = 'reviews.shop.svc.cluster.local';
const transports = [false, true] as const;

describe('serveDns', () => {
  test.each(transports)(
    'asks the mesh over TLS for its own names, the system for all others (tcp: %s)',
    async (tcp) => {
      const [mesh, plain] = [await bench.tls(withAddress('10.0.0.1')), await bench.plain(withAddress('192.0.2.1'))];
      const { port } = await bench.serve(mesh, [plain]);
      for (const name of [meshName, 'Reviews.Shop.GLOBAL', 'cluster.local']) {
        expect(addresses(await ask(port, name, { tcp }))).toEqual(['10.0.0.1']);
      }
      for (const name of ['example.com', 'notcluster.local', 'cluster.local.example.com', 'global.com']) {
        expect(addresses(await ask(port, name, { tcp }))).toEqual(['192.0.2.1']);
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
      expect(addresses(await ask(port, 'one.example', { tcp }))).toEqual(['192.0.2.1']);
      expect(addresses(await ask(port, 'two.example', { tcp }))).toEqual(['192.0.2.1']);
      expect([mute, unable, good].map(({ heard }) => heard.length)).toEqual([1, 1, 2]);
    },
  );

  test('asks again when a datagram is lost', async () => {
    const plain = await bench.plain((query, send, way) => {
      if (plain.heard.length > 1) withAddress('192.0.2.1')(query, send, way);
    });
    const { port } = await bench.serve(undefined, [plain]);
    expect(addresses(await ask(port, 'example.com'))).toEqual(['192.0.2.1']);
    expect(plain.heard.length).toBe(2);
  });

  test('hears nobody who does not know id, question and port', async () => {
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
    expect(addresses(await ask(port, 'example.com'))).toEqual(['192.0.2.1']);
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
    expect(heard.flatMap(addresses)).toEqual(names.map((_, n) => `10.0.0.${n}`));
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

  test('takes its own address out of the servers that it asks', async () => {
    const servers = [{ address: '127.0.0.1', port: 0 }];
    const own = await bench.serve(undefined, [], { servers: async () => servers });
    servers[0] = { address: '127.0.0.1', port: own.port };
    expect((await ask(own.port, 'example.com')).rcode).toBe('SERVFAIL');
    expect(bench.warnings).toEqual(['the system names no DNS server but this one']);
  });

  test.each(['example.com', meshName])('ends a loop that leads its own query for %s back to it', async (name) => {
    const back: Reply = async (query, send) => send(await sendUdp(port, encode({ ...query, type: 'query' })));
    const [mesh, plain] = [await bench.tls(back), await bench.plain(back)];
    const { port } = await bench.serve(mesh, [plain], { timing: {} });
    expect((await ask(port, name)).rcode).toBe('SERVFAIL');
    expect(mesh.heard.length + plain.heard.length).toBeLessThan(3);
    expect(bench.warnings[0]).toContain('came back');
  });

  test('asks once what many ask at the same time, and answers each under its own id', async () => {
    const plain = await bench.plain((query, send, way) => {
      setTimeout(() => withAddress('192.0.2.1')(query, send, way), 150);
    });
    const { port } = await bench.serve(undefined, [plain]);
    const same = Array.from({ length: 50 }, (_, id) => ask(port, 'example.com', { id }));
    const others = [ask(port, 'example.com', { udpSize: 1_232 }), ask(port, 'example.com', { tcp: true })];
    expect((await Promise.all(same)).map(({ id, ...heard }) => [id, addresses(heard as Heard)])).toEqual(
      same.map((_, id) => [id, ['192.0.2.1']]),
    );
    await Promise.all(others);
    expect(plain.heard.length).toBe(3);
    await ask(port, 'example.com');
    expect(plain.heard.length).toBe(4);
  });

  test('does not ask ever more where a resolver of the machine asks it in turn', async () => {
    const resolver = await bench.plain(async (query, send) => {
      const id = ((query.id ?? 0) + 1) & 0xffff;
      const answer = await sendUdp(port, encode({ ...query, type: 'query', id }));
      send(answerTo(query, { flags: (answer[3] ?? 0) & 0x0f }));
    });
    const { port } = await bench.serve(undefined, [resolver]);
    expect((await ask(port, 'example.com')).rcode).toBe('SERVFAIL');
    expect(resolver.heard.length).toBeLessThan(8);
  });

  test('says SERVFAIL at once to more queries than it can hold', async () => {
    const plain = await bench.plain(silent);
    const { port } = await bench.serve(undefined, [plain], { timing: { attemptMs: 5_000, overallMs: 5_000 } });
    const query = (id: number): Buffer =>
      encode({ type: 'query', id, questions: [{ type: 'A', name: `${id}.example` }] });
    const all = Array.from({ length: 40 }, (_, n) =>
      sendAllTcp(
        port,
        Array.from({ length: 20 }, (_, m) => query(n * 20 + m)),
      ),
    );
    await vi.waitFor(() => expect(bench.warnings).toEqual([expect.stringContaining('512 queries')]), {
      timeout: 4_000,
    });
    expect(plain.connections).toBeLessThanOrEqual(512);
    await bench.close();
    await Promise.allSettled(all);
  });

  test('holds no more than 256 connections, and takes others when some have gone', async () => {
    const plain = await bench.plain(withAddress('192.0.2.1'));
    const { port } = await bench.serve(undefined, [plain]);
    const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await vi.waitFor(() => expect(sockets.filter(({ closed }) => closed).length).toBe(44), { timeout: 10_000 });
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(addresses(await ask(port, 'a.example', { tcp: true }))).toEqual(['192.0.2.1']));
  });

  test('serves both families, and no port that somebody else has', async () => {
    const plain = await bench.plain(withAddress('192.0.2.1'));
    const both = await bench.serve(undefined, [plain], { addresses: ['127.0.0.1', '::1'] });
    for (const tcp of transports) {
      expect(addresses(await ask(both.port, 'example.com', { address: '::1', tcp }))).toEqual(['192.0.2.1']);
    }
    const taken = bench.serve(undefined, [plain], { port: both.port });
    await expect(taken).rejects.toMatchObject({ code: 'dns-bind-failed', cause: { code: 'EADDRINUSE' } });
  });
});

describe('the connection to the server of the mesh', () => {
  const unable: readonly [string, () => Promise<Awaited<ReturnType<DnsBench['tls']>>>, RegExp][] = [
    [
      'of a root that is not the mesh’s',
      async () => bench.tls(withAddress('10.6.6.6'), undefined, await createMeshCa()),
      /certificate/,
    ],
    ['for another name', () => bench.tls(withAddress('10.6.6.6'), { dnsNames: ['other.example'] }), /altnames/],
    ['that has expired', () => bench.tls(withAddress('10.6.6.6'), { dnsNames: ['localhost'], days: -1 }), /expired/],
    ['of no kind', () => bench.plain(withAddress('10.6.6.6')), /./],
  ];

  test.each(unable)('is not used with a certificate %s', async (_, start, reason) => {
    const [mesh, plain] = [await start(), await bench.plain(withAddress('10.6.6.6'))];
    const { port } = await bench.serve(mesh, [plain], { timing: { queryMs: 1_000, firstBackoffMs: 2_000 } });
    expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
    expect([...mesh.heard, ...plain.heard]).toEqual([]);
    expect(bench.warnings[0]).toMatch(reason);
  });

  test('is not made without roots, and is once there are some', async () => {
    const [mesh, plain] = [await bench.tls(withAddress('10.0.0.1')), await bench.plain(withAddress('10.6.6.6'))];
    let roots = '';
    const readRoots = async (): Promise<string> => {
      if (roots === '') throw new Error('cannot read the root certificate');
      return roots;
    };
    const { port } = await bench.serve(mesh, [plain], {
      meshServer: { host: 'localhost', port: mesh.port, readRoots },
      timing: { queryMs: 500, firstBackoffMs: 100 },
    });
    expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
    expect([mesh.connections, plain.heard]).toEqual([0, []]);
    roots = bench.ca.rootCertificate;
    await vi.waitFor(async () => expect(addresses(await ask(port, meshName))).toEqual(['10.0.0.1']), {
      timeout: 10_000,
    });
  });

  test('is made again when it is lost, and a query on the way is not', async () => {
    let asked = 0;
    const mesh = await bench.tls((query, send, { connection }) => {
      asked += 1;
      if (asked === 2) connection?.destroy();
      else withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, []);
    for (let n = 0; n < 3; n++) expect(addresses(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect(mesh.connections).toBe(2);
  });

  test('is given up when nothing comes over it any more', async () => {
    const mesh = await bench.tls((query, send, { connection }) => {
      if (mesh.connections === 1 && mesh.heard.length > 1) connection?.pause();
      else withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 1_000 } });
    const rcodes: string[] = [];
    for (let n = 0; n < 3; n++) rcodes.push((await ask(port, meshName)).rcode);
    expect(rcodes).toEqual(['NOERROR', 'SERVFAIL', 'NOERROR']);
  });

  test('is tried again later and later while it cannot be had', async () => {
    const mesh = await bench.tls((_query, _send, { connection }) => connection?.destroy());
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 300, firstBackoffMs: 100 } });
    const end = performance.now() + 1_500;
    while (performance.now() < end) {
      expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // At 0, then after waits of 50 to 100, 100 to 200, 200 to 400, 400 to 800 ms …
    expect(mesh.connections).toBeGreaterThan(1);
    expect(mesh.connections).toBeLessThan(7);
  });

  test('is closed when nobody asks, and made again for the next query', async () => {
    let ended = 0;
    const mesh = await bench.tls((query, send, { connection }) => {
      connection?.once('close', () => (ended += 1));
      withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, [], { timing: { idleMs: 50 } });
    await ask(port, meshName);
    await vi.waitFor(() => expect(ended).toBe(1));
    expect(addresses(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect(mesh.connections).toBe(2);
  });
});
