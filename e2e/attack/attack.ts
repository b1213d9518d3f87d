import type { RequestReading } from '../../src/testbed/reading.ts';
import type { WireAnswer } from '../../src/testbed/wire/answer.ts';
import type { WireRequest } from '../../src/testbed/wire/exchange.ts';
import { type HeaderLine, http1Request } from '../../src/testbed/wire/http1.ts';
import { type HeaderFields, http2Request } from '../../src/testbed/wire/http2.ts';

/** Fields of an HTTP/2 request: a GET over plaintext, and these. */
export function get(...fields: HeaderFields): HeaderFields {
  return [[':method', 'GET'], [':scheme', 'http'], ...fields];
}

/** What an attacker sends, byte for byte: one character a byte (latin1). */
export interface AttackRequest {
  readonly method?: string;
  readonly target?: string;
  readonly authority?: string;
  /** Pairs go over both versions; whole lines are HTTP/1.1's own. */
  readonly headers?: readonly HeaderLine[];
  /** All fields of an HTTP/2 request, where they are not those that the others give. */
  readonly fields?: HeaderFields;
}

/**
 * What came of it: `403`, `400`, … by Envoy, `reset` or `closed` without an answer, or `200` and how the application was
 * asked (`200 /admin/`).
 */
export type AttackOutcome = string;

export interface Attack extends AttackRequest {
  /** What is seen over each version; undefined where it cannot be sent. */
  readonly http1?: AttackOutcome;
  readonly http2?: AttackOutcome;
  /** Where a gateway does otherwise than a sidecar. */
  readonly gateway?: { readonly http1?: AttackOutcome; readonly http2?: AttackOutcome };
}

/** How near a request came, in the application's reading, to what is denied. */
export type Kinship = 'denied' | 'equivalent' | 'other';

/** Attacks on one rule. */
export interface AttackGroup {
  readonly title: string;
  /** What the rule says, in the words of the table's heading. */
  readonly about: string;
  /** The rule of a DENY policy. */
  readonly rule: object;
  readonly kinship: (reading: RequestReading) => Kinship;
  /** The words after `200` in an outcome. */
  readonly shown: (reading: RequestReading) => string;
  readonly attacks: readonly Attack[];
}

/** Where an attack is sent. */
export type AttackTarget = Pick<WireRequest, 'host' | 'port' | 'tls'> & { readonly authority: string };

/** The attack as bytes; undefined where the version cannot carry it. */
export function wireRequest(attack: AttackRequest, version: 1 | 2, target: AttackTarget): WireRequest | undefined {
  const { authority, ...connection } = target;
  const bytes = version === 1 ? http1Bytes(attack, authority) : http2Bytes(attack, authority, target.tls !== undefined);
  return bytes && { ...connection, version, bytes: bytes.toString('base64') };
}

function http1Bytes(
  { method = 'GET', target = '/free', authority, headers = [], fields }: AttackRequest,
  usual: string,
): Buffer | undefined {
  if (fields !== undefined) return undefined;
  const hasHost = headers.some((line) => typeof line !== 'string' && line[0].toLowerCase() === 'host');
  return http1Request({
    method,
    target,
    headers: [...(hasHost ? [] : [['Host', authority ?? usual] as const]), ...headers],
  });
}

function http2Bytes(
  { method = 'GET', target = '/free', authority, headers = [], fields }: AttackRequest,
  usual: string,
  isTls: boolean,
): Buffer | undefined {
  if (fields !== undefined) return http2Request(fields);
  const pairs = headers.flatMap((line) =>
    typeof line === 'string' ? [] : [[line[0].toLowerCase(), line[1]] as const],
  );
  if (pairs.length < headers.length || pairs.some(([name]) => name === 'host')) return undefined;
  return http2Request([
    [':method', method],
    [':scheme', isTls ? 'https' : 'http'],
    [':path', target],
    [':authority', authority ?? usual],
    ...pairs,
  ]);
}

/** What the application understood; undefined when it was not asked. */
export function readingOf({ status, body }: WireAnswer): RequestReading | undefined {
  return status === '200' ? (JSON.parse(body) as RequestReading) : undefined;
}

/** An answer in the words of {@link AttackOutcome}. */
export function outcomeOf(answer: WireAnswer, { shown }: Pick<AttackGroup, 'shown'>): AttackOutcome {
  const reading = readingOf(answer);
  return reading === undefined ? answer.status : `200 ${shown(reading)}`;
}
