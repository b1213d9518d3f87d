import { connect } from 'node:net';
import { encode } from 'dns-packet';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { DnsBench } from './testing/dns-bench.ts';
import { addressesOf, ask, type Heard, meshName, sendAllTcp, sendUdp } from './testing/dns-client.ts';
import { answerTo, type Reply, silent, withAddress } from './testing/dns-double.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

describe('serveDns among many queries, and in a ring of servers', () => {
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
    expect((await Promise.all(same)).map(({ id, ...heard }) => [id, addressesOf(heard as Heard)])).toEqual(
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
    await eventually(() => expect(bench.warnings).toEqual([expect.stringContaining('512 queries')]));
    expect(plain.connections).toBeLessThanOrEqual(512);
    await bench.close();
    await Promise.allSettled(all);
  });

  test('holds no more than 256 connections: the longest idle gives way to a newcomer, one with a query does not', async () => {
    const plain = await bench.plain((query, send, way) => {
      const isSlow = query.questions?.[0]?.name === 'slow.example';
      setTimeout(() => withAddress('192.0.2.1')(query, send, way), isSlow ? 1_500 : 0);
    });
    const { port } = await bench.serve(undefined, [plain], { timing: { attemptMs: 5_000, overallMs: 5_000 } });
    const slow = ask(port, 'slow.example', { tcp: true });
    await eventually(() => expect(plain.heard).toHaveLength(1));
    const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    const isClosed = (): boolean[] => sockets.map(({ closed }) => closed);
    // With the slow one there are 301: the first 45 idle ones went.
    await eventually(() => expect(isClosed().indexOf(false)).toBe(45));
    expect(isClosed().slice(45)).not.toContain(true);
    expect(addressesOf(await ask(port, 'a.example', { tcp: true }))).toEqual(['192.0.2.1']);
    expect(addressesOf(await slow)).toEqual(['192.0.2.1']);
    for (const socket of sockets) socket.destroy();
  });
});
