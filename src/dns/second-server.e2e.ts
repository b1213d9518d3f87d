import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { tries } from '../testing/effort.ts';
import { sendAllTcp } from './testing/dns-client.ts';
import { KnotServer } from './testing/knot-server.ts';
import { QuerySender } from './testing/query-sender.ts';
import { randomQuery } from './testing/random-queries.ts';
import { recordTexts, zoneName, zoneOf } from './testing/sample-zone.ts';
import type { ZoneName } from './zone-name.ts';
import { ZoneResponder } from './zone-responder.ts';
import { serveZone, type ZoneServer } from './zone-server.ts';

const service = (name: string, of: Partial<ZoneName>): ZoneName => zoneName(`${name}.svc.cluster.local`, of);
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.9.${i >> 8}.${i & 0xff}`);

const cluster = [
  service('web.shop', { addresses: ['10.0.0.1', 'fd00::1'] }),
  service('six.shop', { addresses: ['fd00::6', '2001:db8::ffff:1'] }),
  service('db.shop', { addresses: many(7) }),
  service('db-0.db.shop', { addresses: ['10.9.0.0'] }),
  service('large.shop', { addresses: many(150) }),
  service('none.shop', { addresses: [] }),
  service('old.shop', { target: 'older.shop.svc.cluster.local' }),
  service('older.shop', { target: 'web.shop.svc.cluster.local' }),
  service('gone.shop', { target: 'nothing.shop.svc.cluster.local' }),
  service('outside.shop', { target: 'www.example.com' }),
  service('ring-a.shop', { target: 'ring-b.shop.svc.cluster.local' }),
  service('ring-b.shop', { target: 'ring-a.shop.svc.cluster.local' }),
  ...Array.from({ length: 40 }, (_, i) => service(`s${i}.n${i % 17}`, { addresses: [`10.2.${i >> 8}.${i & 0xff}`] })),
];
const global = [
  zoneName('*.wild.global', { addresses: ['10.3.0.1', 'fd00::3'] }),
  zoneName('there.wild.global', { addresses: ['10.3.0.2'] }),
  zoneName('*.deep.there.wild.global', { target: 'a.wild.global' }),
  zoneName('plain.global', { addresses: ['240.240.7.7'] }),
  zoneName('a.b.c.d.e.global', { addresses: ['10.3.0.4'] }),
];
const outside = [
  zoneName('api.example.org', { isOfCluster: false, addresses: ['192.0.2.1', '192.0.2.2'] }),
  zoneName('six.example.net', { isOfCluster: false, addresses: ['2001:db8::5'] }),
];
const all = [...cluster, ...global, ...outside];

/** Knot has whole zones: below a host of others it says that nothing is there, and we that we do not know. */
const belowOthers = /[^.]\.(api\.example\.org|six\.example\.net)$/i;

describe('a zone that is served, and the same one at another server', () => {
  let knot: KnotServer;
  let ours: ZoneServer;
  const senders: QuerySender[] = [];

  beforeAll(async () => {
    const zones = Object.fromEntries(outside.map((name) => [name.name, [name]]));
    knot = await KnotServer.start({ 'cluster.local': cluster, global, ...zones });
    const rate = { perSecond: 1e9, burst: 1e9 };
    const zone = zoneOf(all);
    ours = await serveZone(new ZoneResponder({ zone: () => zone, observe: () => undefined, rate }), {
      address: '127.0.0.1',
      port: 0,
    });
    senders.push(await QuerySender.to(ours.port), await QuerySender.to(knot.port));
  }, 300_000);
  afterAll(async () => {
    for (const sender of senders) sender.close();
    await ours?.close();
    await knot?.close();
  });

  test(
    'gives the same answers to random questions',
    async () => {
      const seed = Number(process.env.DNS_SEED ?? Math.floor(Math.random() * 2 ** 31));
      const dice = new Dice(seed);
      const names = all.map(({ name }) => name);
      const count = tries(4_000, 25);
      const differences: unknown[] = [];
      let answered = 0;
      let cut = 0;
      for (let done = 0; done < count; done += 50) {
        const queries = Array.from({ length: 50 }, () => randomQuery(dice, names)).filter(
          (query) => !belowOthers.test(nameOf(query)),
        );
        const heard = await Promise.all(
          queries.map((query) => Promise.all(senders.map((sender) => sender.ask(query)))),
        );
        for (const [i, [a, b]] of heard.entries()) {
          const query = queries[i] as Buffer;
          let [left, right] = [shown(a as Buffer), shown(b as Buffer)];
          if (left.isCut && right.isCut) {
            cut += 1;
            [left, right] = await Promise.all([overTcp(ours.port, query), overTcp(knot.port, query)]);
          }
          if (left.answers.length > 0) answered += 1;
          if (JSON.stringify(left) !== JSON.stringify(right))
            differences.push({ name: nameOf(query), query: query.toString('hex'), ours: left, knot: right });
        }
      }
      expect(differences.slice(0, 5), `DNS_SEED=${seed}: ${differences.length} differences`).toEqual([]);
      // The questions are worth asking.
      expect(answered).toBeGreaterThan(count / 8);
      expect(cut).toBeGreaterThan(0);
    },
    tries(300_000, 10),
  );
});

/** What is compared of an answer. */
function shown(message: Buffer) {
  const isAuthoritative = (message.readUInt8(2) & 0x04) !== 0;
  const isCut = (message.readUInt8(2) & 0x02) !== 0;
  return { isAuthoritative, isCut, ...recordTexts(message) };
}

async function overTcp(port: number, query: Buffer): Promise<ReturnType<typeof shown>> {
  const [answer] = await sendAllTcp(port, [query]);
  return shown(answer as Buffer);
}

function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += 1 + (query[at] as number))
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] as number)));
  return labels.join('.');
}
