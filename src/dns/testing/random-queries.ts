import { encode, type RecordType } from 'dns-packet';
import type { Dice } from '../../testing/dice.ts';

const types: readonly RecordType[] = [
  'A',
  'A',
  'A',
  'AAAA',
  'AAAA',
  'CNAME',
  'SOA',
  'TXT',
  'MX',
  'SRV',
  'NS',
  'PTR',
  'HINFO',
];
const labels = [
  'web',
  'db',
  'x',
  'svc',
  'shop',
  'bank',
  '_http',
  '_tcp',
  '*',
  'a-b',
  'n'.repeat(63),
  'cluster',
  'global',
  'xn--bcher-kva',
];
const edgeNames = [
  '',
  'local',
  'cluster.local',
  'global',
  'svc.cluster.local',
  'org',
  'www.example.com',
  '1.0.0.10.in-addr.arpa',
];

/** A query as some client could make it: for a name that there is, one near to it, or one far from all. */
export function randomQuery(dice: Dice, names: readonly string[]): Buffer {
  const near = dice.pick(names).split('.');
  if (dice.chance(25)) near.unshift(dice.pick(labels));
  if (dice.chance(15)) near.shift();
  if (dice.chance(15)) near[dice.below(near.length)] = dice.pick(labels);
  const name = dice.chance(8) ? dice.pick(edgeNames) : near.join('.');
  const spelled = [...name].map((letter) => (dice.chance(20) ? letter.toUpperCase() : letter)).join('');
  const className = dice.chance(3) ? dice.pick(['CH', 'HS', 'ANY'] as const) : 'IN';
  return encode({
    type: 'query',
    flags: dice.chance(50) ? 0x0100 : 0,
    questions: [
      { type: dice.pick(types), class: className, name: spelled.length > 250 ? 'long.global' : spelled || '.' },
    ],
    additionals: dice.chance(50) ? [edns(dice.pick([512, 1_232, 4_096, 65_535]), dice.chance(4) ? 1 : 0)] : [],
  });
}

function edns(udpPayloadSize: number, ednsVersion: number): never {
  return { type: 'OPT', name: '.', udpPayloadSize, flags: 0, options: [], extendedRcode: 0, ednsVersion } as never;
}
