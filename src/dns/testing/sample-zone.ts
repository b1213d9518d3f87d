import { decode, encode, type RecordType } from 'dns-packet';
import { answerFromZone } from '../answer-from-zone.ts';
import { parseQuery, type Query, responseCode } from '../message.ts';
import { Zone } from '../zone.ts';
import type { Viewer, ZoneName } from '../zone-name.ts';
import { type Heard, read } from './dns-client.ts';

/** A name that everybody may ask for, of a Service of the cluster in the namespace `shop`, but for what is told. */
export function zoneName(name: string, of: Partial<ZoneName> = {}): ZoneName {
  return { name, namespace: 'shop', viewers: 'all', addresses: [], isOfCluster: true, createdAt: 0, ...of };
}

/** Of a mesh whose suffixes are `cluster.local` and `global`. */
export function zoneOf(names: readonly ZoneName[]): Zone {
  const zone = new Zone(['cluster.local', 'global']);
  for (const [i, name] of names.entries()) zone.set(String(i), name);
  return zone;
}

/** What a viewer hears of a zone, over a transport that cuts nothing. */
export function askZone(zone: Zone, name: string, type: RecordType = 'A', viewer?: Viewer): Heard {
  return read(answerFromZone(zone, queryOf(encode({ type: 'query', id: 0, questions: [{ type, name }] })), viewer));
}

/** A message that is a query. */
export function queryOf(message: Buffer): Query {
  const query = parseQuery(message, responseCode.refused);
  if (query === undefined || Buffer.isBuffer(query)) throw new Error('no query');
  return query;
}

/** Records of an answer as texts that can be compared: in small letters and sorted. */
export function recordTexts(message: Buffer): {
  readonly code: number;
  readonly answers: string[];
  readonly authority: string[];
} {
  const { answers = [], authorities = [] } = decode(message);
  const texts = (records: typeof answers): string[] =>
    records
      .map((record) => {
        const { name, type, ttl, data } = record as { name: string; type: string; ttl: number; data: unknown };
        return `${name} ${ttl} ${type} ${JSON.stringify(data)}`.toLowerCase();
      })
      .sort();
  return { code: (message[3] ?? 0) & 0x0f, answers: texts(answers), authority: texts(authorities) };
}
