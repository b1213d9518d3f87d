import type { Answer } from 'dns-packet';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NameTable } from './name-table.ts';
import { DnsBench } from './testing/dns-bench.ts';
import { type AskOptions, addressesOf, ask, type Heard } from './testing/dns-client.ts';
import { answerTo, type DnsDouble, type Reply, silent, withAddress, withCode, withSize } from './testing/dns-double.ts';
import { zoneName, zoneOf } from './testing/sample-zone.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

const name = 'pay.shop.svc.cluster.local';
const outside = 'api.pay.example';
const alias: Answer = { type: 'CNAME', name, ttl: 30, data: outside };
const table: NameTable = { namespace: 'shop', zone: zoneOf([zoneName(name, { target: outside })]) };
const ways = ['names that meshd sent', 'DNS of the mesh'] as const;

/** Asks an agent that knows the alias in one of the two ways. */
async function askAgent(
  way: (typeof ways)[number],
  plain: readonly DnsDouble[],
  options: AskOptions = {},
): Promise<Heard> {
  const mesh = await bench.tls((query, send) => send(answerTo(query, { flags: 0x0400, answers: [alias] })));
  const known = way === 'DNS of the mesh' ? {} : { table: () => table };
  const { port } = await bench.serve(mesh, plain, known);
  return ask(port, name, options);
}

const answering = (...answers: Answer[]): Reply => {
  return (query, send) => send(answerTo(query, { answers }));
};

describe.each(ways)('a name of the mesh that stands for one outside, known by %s', (way) => {
  test.each([false, true])('is answered with the addresses that the system knows (tcp: %s)', async (tcp) => {
    const plain = await bench.plain(withAddress('192.0.2.1'));
    const heard = await askAgent(way, [plain], { tcp, udpSize: 1_232 });
    expect(heard).toMatchObject({ rcode: 'NOERROR', id: 4711, flag_tc: false });
    expect(addressesOf(heard)).toEqual([outside, '192.0.2.1']);
    expect(heard.additionals).toMatchObject([{ type: 'OPT' }]);
    expect(plain.heard).toEqual([`${tcp ? 'tcp' : 'udp'} ${outside}`]);
  });

  test('is answered with the names between, whatever their order, and with nothing about others', async () => {
    const plain = await bench.plain(
      answering(
        { type: 'AAAA', name: 'edge.example', ttl: 60, data: '2001:db8::1' },
        { type: 'CNAME', name: 'lb.example', ttl: 60, data: 'edge.example' },
        { type: 'AAAA', name: 'stranger.example', ttl: 60, data: '2001:db8::66' },
        { type: 'A', name: 'edge.example', ttl: 60, data: '192.0.2.66' },
        { type: 'CNAME', name: outside.toUpperCase(), ttl: 60, data: 'LB.example' },
      ),
    );
    const heard = await askAgent(way, [plain], { type: 'AAAA' });
    expect(addressesOf(heard)).toEqual([outside, 'lb.example', 'edge.example', '2001:db8::1']);
    expect(heard.answers?.map((answer) => answer.name)).toEqual([name, outside, 'lb.example', 'edge.example']);
  });

  test.each([
    ['NOERROR', 0, [outside]],
    ['NXDOMAIN', 3, [outside]],
    ['REFUSED', 5, []],
    ['SERVFAIL', 2, []],
  ] as const)('has the code that the system says of the other name: %s', async (rcode, code, answers) => {
    const heard = await askAgent(way, [await bench.plain(withCode(code))]);
    expect([heard.rcode, addressesOf(heard)]).toEqual([rcode, answers]);
  });

  test('is asked for over TCP where the answer of the system is cut', async () => {
    const plain = await bench.plain((query, send) => send(answerTo(query, { flags: 0x0200 })));
    expect(await askAgent(way, [plain])).toMatchObject({ rcode: 'NOERROR', flag_tc: true, answers: [] });
  });

  test('is SERVFAIL where nobody of the system answers, and where the answer cannot be read', async () => {
    expect((await askAgent(way, [await bench.plain(silent)])).rcode).toBe('SERVFAIL');
    const torn: Reply = (query, send) => withAddress('192.0.2.1')(query, (whole) => send(whole.subarray(0, -2)), {});
    expect((await askAgent(way, [await bench.plain(torn)])).rcode).toBe('SERVFAIL');
    expect(bench.warnings).toEqual([
      expect.stringMatching(/^no answer from 127\.0\.0\.1/),
      'the answer about the name outside is no whole message',
    ]);
  });

  test('is answered without the system where no address is asked for', async () => {
    const plain = await bench.plain(withSize(600));
    const heard = await askAgent(way, [plain], { type: 'CNAME' });
    expect([addressesOf(heard), plain.heard]).toEqual([[outside], []]);
  });
});

test('the system is not asked for what the mesh knows of a name outside', async () => {
  const plain = await bench.plain(withAddress('192.0.2.1'));
  const names = [
    zoneName(name, { target: outside }),
    zoneName(outside, { addresses: ['10.0.0.7'], isOfCluster: false }),
  ];
  const { port } = await bench.serve(undefined, [plain], { table: () => ({ namespace: 'shop', zone: zoneOf(names) }) });
  expect(addressesOf(await ask(port, name))).toEqual([outside, '10.0.0.7']);
  expect((await ask(port, name, { type: 'AAAA' })).rcode).toBe('NOERROR');
  expect(plain.heard).toEqual([]);
  const [, entry] = names.map((it) => ({ ...it, addresses: [] }));
  const without = zoneOf([names[0] as never, entry as never]);
  const other = await bench.serve(undefined, [plain], { table: () => ({ namespace: 'shop', zone: without }) });
  expect(addressesOf(await ask(other.port, name))).toEqual([outside, '192.0.2.1']);
});
