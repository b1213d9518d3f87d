import { isIPv6 } from 'node:net';
import type { MeshNames } from './mesh-names.ts';
import { codeFor, cutAnswer, ednsRecord, parseQuery, type Query, responseCode, responseCodeOf } from './message.ts';
import { type DnsRecord, recordType, writeAnswer } from './message-writer.ts';
import { readAnswer } from './record-reader.ts';

type Alias = Extract<DnsRecord, { readonly type: 'CNAME' }>;

/** An answer that says of a name of the mesh only which name outside of the mesh is meant. */
export interface OutsideAlias {
  /** From the name that was asked for to the one outside. */
  readonly aliases: readonly Alias[];
  readonly target: readonly string[];
}

const addressTypes: ReadonlySet<number> = new Set([recordType.A, recordType.AAAA]);
const cutBit = 0x02;

/**
 * Where an answer leads whose client would have to ask once more; undefined: it is whole. Stub resolvers, as in the C
 * libraries, do not ask again: they expect the server that they ask to have done so (RFC 1034 5.3.1).
 */
export function outsideAlias(query: Query, answer: Buffer, names: MeshNames): OutsideAlias | undefined {
  if (!addressTypes.has(query.type) || responseCodeOf(answer) !== responseCode.noError) return undefined;
  const read = (answer.readUInt8(2) & cutBit) === 0 ? readAnswer(answer) : undefined;
  // With an authority, the answer says that there is no such record.
  if (read === undefined || read.others > 0 || read.authorityCount > 0) return undefined;
  const aliases = read.records.filter((record) => record.type === 'CNAME');
  const target = aliases.at(-1)?.target;
  if (target === undefined || aliases.length < read.records.length || names.has(target)) return undefined;
  return { aliases, target };
}

/** The same question about the name outside. Throws where that is no name that could be asked for. */
export function questionOutside({ bytes, questionEnd, hasEdns }: Query, { target }: OutsideAlias): Query {
  const head = Buffer.from(bytes.subarray(0, 12));
  // Of the flags, "recursion desired" and "checking disabled" are the client's.
  head.writeUInt16BE(head.readUInt16BE(2) & 0x0110, 2);
  head.fill(0, 6);
  head.writeUInt16BE(hasEdns ? 1 : 0, 10);
  const name = target.map((label) => String.fromCharCode(label.length) + label).join('');
  const tail = [bytes.subarray(questionEnd - 4, questionEnd), ...(hasEdns ? [ednsRecord(0)] : [])];
  const query = parseQuery(Buffer.concat([head, Buffer.from(`${name}\0`, 'latin1'), ...tail]));
  if (query === undefined || Buffer.isBuffer(query)) throw new Error('the name outside is none that can be asked for');
  return query;
}

/** The answer to the client's question, with what was heard of the name outside. Throws where that cannot be read. */
export function answerWithOutside(query: Query, { aliases, target }: OutsideAlias, heard: Buffer): Buffer {
  const code = responseCodeOf(heard);
  if (code !== responseCode.noError && code !== responseCode.noSuchName) return codeFor(query, code);
  if ((heard.readUInt8(2) & cutBit) !== 0) return cutAnswer(query.bytes) ?? codeFor(query, responseCode.serverFailure);
  const read = readAnswer(heard);
  if (read === undefined) throw new Error('the answer about the name outside is no whole message');
  const chain = chainFrom(
    target,
    read.records.filter((record) => record.type === 'CNAME'),
  );
  const end = nameOf(chain.at(-1)?.target ?? target);
  const isSix = query.type === recordType.AAAA;
  const addresses = read.records.filter(
    (record) => record.type === 'address' && nameOf(record.owner) === end && isIPv6(record.address) === isSix,
  );
  return writeAnswer(query, { code, answers: [...aliases, ...chain, ...addresses], authority: [] });
}

/** Those that lead on from a name, in the order in which they do. */
function chainFrom(start: readonly string[], aliases: readonly Alias[]): readonly Alias[] {
  const byOwner = new Map(aliases.map((alias) => [nameOf(alias.owner), alias]));
  const chain: Alias[] = [];
  for (let owner = nameOf(start); ; ) {
    const alias = byOwner.get(owner);
    if (alias === undefined) return chain;
    byOwner.delete(owner);
    chain.push(alias);
    owner = nameOf(alias.target);
  }
}

function nameOf(labels: readonly string[]): string {
  return labels.join('.');
}
