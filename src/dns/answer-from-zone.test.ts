import { encode, type RecordType } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { answerFromZone } from './answer-from-zone.ts';
import { parseQuery, responseCode, responseCodeOf } from './message.ts';
import { read } from './testing/dns-client.ts';
import { askZone, queryOf, zoneName, zoneOf } from './testing/sample-zone.ts';

const web = zoneName('web.shop.svc.cluster.local', { addresses: ['10.0.0.1', 'fd00::1'] });

const mesh = zoneOf([
  web,
  zoneName('db.shop.svc.cluster.local', { addresses: ['10.1.0.1', '10.1.0.2', '10.1.0.3'] }),
  zoneName('old.shop.svc.cluster.local', { target: 'web.shop.svc.cluster.local' }),
  zoneName('gone.shop.svc.cluster.local', { target: 'nothing.shop.svc.cluster.local' }),
  zoneName('outside.shop.svc.cluster.local', { target: 'www.example.com' }),
  zoneName('ring-a.shop.svc.cluster.local', { target: 'ring-b.shop.svc.cluster.local' }),
  zoneName('ring-b.shop.svc.cluster.local', { target: 'ring-a.shop.svc.cluster.local' }),
  zoneName('secret.bank.svc.cluster.local', { namespace: 'bank', viewers: ['bank'], addresses: ['10.2.0.1'] }),
  zoneName('*.wild.global', { isOfCluster: false, addresses: ['10.3.0.1'] }),
  zoneName('there.wild.global', { isOfCluster: false, addresses: ['10.3.0.2'] }),
  zoneName('auto.global', { isOfCluster: false, addresses: ['240.240.0.9'], isForProxies: true }),
  zoneName('api.example.org', { isOfCluster: false, addresses: ['192.0.2.1'] }),
]);

/** Code, answers and the owner of the record that says how long an absence may be remembered. */
function heard(name: string, type?: RecordType, viewer?: string): string {
  const { rcode, answers = [], authorities = [] } = askZone(mesh, name, type, viewer);
  const shown = [...answers, ...authorities].map((record) => {
    const { name: owner, type: of, data } = record as { name: string; type: string; data: unknown };
    return of === 'SOA' ? `SOA of ${owner}` : `${owner} ${of} ${String(data)}`;
  });
  return [rcode, ...shown].join(', ');
}

describe('answerFromZone', () => {
  test.each<[string, RecordType, string]>([
    ['web.shop.svc.cluster.local', 'A', 'NOERROR, web.shop.svc.cluster.local A 10.0.0.1'],
    ['web.shop.svc.cluster.local', 'AAAA', 'NOERROR, web.shop.svc.cluster.local AAAA fd00::1'],
    ['db.shop.svc.cluster.local', 'AAAA', 'NOERROR, SOA of cluster.local'],
    ['web.shop.svc.cluster.local', 'TXT', 'NOERROR, SOA of cluster.local'],
    ['no.shop.svc.cluster.local', 'A', 'NXDOMAIN, SOA of cluster.local'],
    ['shop.svc.cluster.local', 'A', 'NOERROR, SOA of cluster.local'],
    ['cluster.local', 'SOA', 'NOERROR, SOA of cluster.local'],
    ['global', 'A', 'NOERROR, SOA of global'],
    ['old.shop.svc.cluster.local', 'CNAME', 'NOERROR, old.shop.svc.cluster.local CNAME web.shop.svc.cluster.local'],
    ['outside.shop.svc.cluster.local', 'A', 'NOERROR, outside.shop.svc.cluster.local CNAME www.example.com'],
    ['there.wild.global', 'A', 'NOERROR, there.wild.global A 10.3.0.2'],
    ['a.b.wild.global', 'A', 'NOERROR, a.b.wild.global A 10.3.0.1'],
    ['below.there.wild.global', 'A', 'NXDOMAIN, SOA of global'],
    ['*.wild.global', 'A', 'NOERROR, *.wild.global A 10.3.0.1'],
    ['api.example.org', 'A', 'NOERROR, api.example.org A 192.0.2.1'],
    ['api.example.org', 'AAAA', 'NOERROR, SOA of api.example.org'],
    ['below.api.example.org', 'A', 'REFUSED'],
    ['example.org', 'A', 'REFUSED'],
    ['www.example.com', 'A', 'REFUSED'],
    ['.', 'A', 'REFUSED'],
  ])('answers %s %s with %s', (name, type, expected) => {
    expect(heard(name, type)).toBe(expected);
  });

  test('follows another name to what it leads to, also where that is not there', () => {
    const [alias, lost] = ['old', 'gone'].map((name) => `${name}.shop.svc.cluster.local`) as [string, string];
    expect(heard(alias)).toBe(`NOERROR, ${alias} CNAME ${web.name}, ${web.name} A 10.0.0.1`);
    expect(heard(lost)).toBe(`NXDOMAIN, ${lost} CNAME nothing.shop.svc.cluster.local, SOA of cluster.local`);
  });

  test('ends where names lead in a ring', () => {
    const { rcode, answers = [] } = askZone(mesh, 'ring-a.shop.svc.cluster.local');
    expect({ rcode, count: answers.length }).toEqual({ rcode: 'NOERROR', count: 2 });
  });

  test('takes capitals for their small letters, and gives the question back as it was spelled', () => {
    const { questions, answers } = askZone(mesh, 'WEB.Shop.svc.Cluster.LOCAL');
    expect(questions?.[0]?.name).toBe('WEB.Shop.svc.Cluster.LOCAL');
    expect(answers?.map((it) => 'data' in it && it.data)).toEqual(['10.0.0.1']);
  });

  test('hides what is exported to some from all others, the names above it too', () => {
    const missing = 'NXDOMAIN, SOA of cluster.local';
    for (const viewer of [undefined, 'shop', '*']) {
      expect(heard('secret.bank.svc.cluster.local', 'A', viewer)).toBe(missing);
      expect(heard('bank.svc.cluster.local', 'A', viewer)).toBe(missing);
    }
    expect(heard('secret.bank.svc.cluster.local', 'A', 'bank')).toContain('A 10.2.0.1');
    expect(heard('bank.svc.cluster.local', 'A', 'bank')).toBe('NOERROR, SOA of cluster.local');
  });

  test('gives addresses that only proxies know to callers with an identity alone', () => {
    expect(heard('auto.global')).toBe('NOERROR, SOA of global');
    expect(heard('auto.global', 'A', 'any')).toBe('NOERROR, auto.global A 240.240.0.9');
  });

  test('gives all addresses, each first in turn', () => {
    const question = { type: 'A' as const, name: 'db.shop.svc.cluster.local' };
    const firsts = [0, 1, 2].map((id) => {
      const query = queryOf(encode({ type: 'query', id, questions: [question] }));
      const { answers = [] } = read(answerFromZone(mesh, query, undefined));
      return answers.map((it) => 'data' in it && it.data);
    });
    expect(firsts.map(([first]) => first)).toEqual(['10.1.0.1', '10.1.0.2', '10.1.0.3']);
    expect(firsts.every((all) => new Set(all).size === 3)).toBe(true);
  });

  test('is authoritative, offers no recursion, and says for how long it may be remembered', () => {
    const positive = askZone(mesh, web.name);
    const negative = askZone(mesh, 'no.shop.svc.cluster.local');
    for (const { flag_aa, flag_ra } of [positive, negative])
      expect({ flag_aa, flag_ra }).toEqual({ flag_aa: true, flag_ra: false });
    expect(positive.answers?.[0]).toMatchObject({ ttl: 30 });
    expect(negative.authorities?.[0]).toMatchObject({ ttl: 5, data: { minimum: 5 } });
  });

  test.each([
    ['another class than IN', (query: Buffer) => query.writeUInt16BE(3, query.length - 2), responseCode.refused],
    ['records that are not there', (query: Buffer) => query.writeUInt16BE(1, 10), responseCode.formatError],
  ])('answers a query for %s with a code alone', (_, change, code) => {
    const message = encode({ type: 'query', id: 7, questions: [{ type: 'A', name: web.name }] });
    change(message);
    const answer = answerFromZone(mesh, queryOf(message), undefined);
    expect([responseCodeOf(answer), answer.readUInt16BE(6), answer.readUInt16BE(8)]).toEqual([code, 0, 0]);
  });

  test('refuses a version of EDNS that it does not know (BADVERS), and two EDNS records', () => {
    const opt = (ednsVersion: number): never =>
      ({ type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options: [], extendedRcode: 0, ednsVersion }) as never;
    const asked = (additionals: never[]): Buffer =>
      answerFromZone(
        mesh,
        queryOf(encode({ type: 'query', id: 7, questions: [{ type: 'A', name: web.name }], additionals })),
        undefined,
      );
    const [record] = read(asked([opt(1)])).additionals ?? [];
    expect(record).toMatchObject({ type: 'OPT', extendedRcode: 1 });
    expect(responseCodeOf(asked([opt(0), opt(0)]))).toBe(responseCode.formatError);
    expect(read(asked([opt(0)])).answers).toHaveLength(1);
  });

  test('never gives more than one message of a stream may have', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `10.9.${i >> 8}.${i & 0xff}`);
    const zone = zoneOf([zoneName('many.shop.svc.cluster.local', { addresses: many })]);
    const { size, flag_tc, answers = [] } = askZone(zone, 'many.shop.svc.cluster.local');
    expect(flag_tc).toBe(true);
    expect(size).toBeLessThanOrEqual(65_535);
    expect(answers.length).toBeGreaterThan(4_000);
  });

  test('answers whatever question comes, with the question', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (noise) => {
        const message = Buffer.concat([Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]), noise]);
        const query = parseQuery(message, responseCode.refused);
        if (query === undefined || Buffer.isBuffer(query)) return;
        const answer = answerFromZone(mesh, query, undefined);
        expect(answer.subarray(12, query.questionEnd)).toEqual(message.subarray(12, query.questionEnd));
      }),
      runs(),
    );
  });
});
