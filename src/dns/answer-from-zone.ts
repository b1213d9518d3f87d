import { isIPv4 } from 'node:net';
import { codeFor, type Query, responseCode } from './message.ts';
import { type AnswerSections, type DnsRecord, recordType, writeAnswer } from './message-writer.ts';
import type { Found, Zone } from './zone.ts';
import type { Viewer, ZoneName } from './zone-name.ts';

/** Seconds that an answer may be remembered; that something is not there is remembered for a shorter time. */
export const answerTtl = 30;
export const absenceTtl = 5;

/** That of the Internet, and any. */
const classes: ReadonlySet<number> = new Set([1, 255]);
/** Other names that lead to one another. */
const longestChain = 8;

/** Answers a query from the names of the mesh, as far as the viewer may know them; nobody else is asked. */
export function answerFromZone(zone: Zone, query: Query, viewer: Viewer): Buffer {
  if (!query.isWhole) return codeFor(query, responseCode.formatError);
  if (query.ednsVersion > 0) return codeFor(query, responseCode.badVersion);
  if (!classes.has(query.recordClass)) return codeFor(query, responseCode.refused);
  const found = zone.find(query.labels, viewer);
  if (found.type === 'foreign') return codeFor(query, responseCode.refused);
  return writeAnswer(query, sectionsOf(zone, query, found, viewer));
}

type Own = Exclude<Found, { readonly type: 'foreign' }>;

function sectionsOf(zone: Zone, query: Query, first: Own, viewer: Viewer): AnswerSections {
  const { labels, type } = query;
  const answers: DnsRecord[] = [];
  let [owner, found]: [readonly string[], Own] = [labels, first];
  const seen = new Set<string>();
  while (seen.size < longestChain) {
    const name = found.type === 'known' ? found.name : undefined;
    if (name?.target === undefined || type === recordType.CNAME) break;
    const target = name.target.split('.');
    answers.push({ type: 'CNAME', owner, ttl: answerTtl, target });
    const isRing = seen.has(name.target) || name.target === labels.join('.');
    if (type === recordType.ANY || isRing) return { code: responseCode.noError, answers, authority: [] };
    seen.add(name.target);
    const next = zone.find(target, viewer);
    // Whoever asks can ask whoever knows that one, also where a ServiceEntry has no address for it.
    if (next.type === 'foreign' || isOpen(zone, target, next))
      return { code: responseCode.noError, answers, authority: [] };
    [owner, found] = [target, next];
  }
  const records = found.type === 'known' ? recordsOf(found, owner, query, viewer) : [];
  const code = found.type === 'missing' ? responseCode.noSuchName : responseCode.noError;
  const authority = records.length > 0 ? [] : [authorityOf(owner, found.origin)];
  return { code, answers: [...answers, ...records], authority };
}

/** The mesh knows of the name, but nothing that it leads to, and others may. */
function isOpen(zone: Zone, labels: readonly string[], found: Own): boolean {
  const { name } = found.type === 'known' ? found : {};
  return name !== undefined && name.target === undefined && name.addresses.length === 0 && !zone.owns(labels);
}

/** What a name has of the type; of any type, the first that there is (RFC 8482 4.1). */
function recordsOf(
  { name, origin }: Extract<Own, { type: 'known' }>,
  owner: readonly string[],
  { type, id }: Query,
  viewer: Viewer,
): DnsRecord[] {
  if (name?.target !== undefined) {
    return type === recordType.CNAME ? [{ type: 'CNAME', owner, ttl: answerTtl, target: name.target.split('.') }] : [];
  }
  const addresses = name === undefined ? [] : addressesOf(name, viewer, id);
  const ofFamily = (isFour: boolean): DnsRecord[] =>
    addresses
      .filter((address) => isIPv4(address) === isFour)
      .map((address) => ({ type: 'address', owner, ttl: answerTtl, address }));
  if (type === recordType.A) return ofFamily(true);
  if (type === recordType.AAAA) return ofFamily(false);
  const isOrigin = owner.length === origin;
  if (type === recordType.SOA) return isOrigin ? [authorityOf(owner, origin)] : [];
  if (type !== recordType.ANY) return [];
  const any = [ofFamily(true), ofFamily(false)].find(({ length }) => length > 0);
  return any ?? (isOrigin ? [authorityOf(owner, origin)] : []);
}

/** The addresses, from another one on for another id of a query, so that not all clients take the first. */
function addressesOf({ addresses, isForProxies }: ZoneName, viewer: Viewer, id: number): readonly string[] {
  if (isForProxies && viewer === undefined) return [];
  const from = addresses.length === 0 ? 0 : id % addresses.length;
  return [...addresses.slice(from), ...addresses.slice(0, from)];
}

/** Whoever is told that something is not there may remember it for a short time (RFC 2308). */
function authorityOf(labels: readonly string[], origin: number): DnsRecord {
  const owner = labels.slice(labels.length - origin);
  return {
    ...{ type: 'SOA', owner, ttl: absenceTtl },
    soa: {
      server: ['ns', 'dns', ...owner],
      mailbox: ['hostmaster', ...owner],
      ...{ serial: 1, refresh: 7_200, retry: 1_800, expire: 86_400, minimum: absenceTtl },
    },
  };
}
