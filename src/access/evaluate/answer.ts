import { withoutOuterBlanks } from '../../lib/header-text.ts';
import { lowerCase } from '../model/bytes.ts';
import type { Outcome } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import type { Blanks } from './blanks.ts';

export function answered(status: number, details: string): Outcome {
  return { kind: 'answered', status, details };
}

/** The answer of a proxy whose connection to the next one, or the stream on it, ends without one. */
export function unanswered(status: number, why: string): Outcome {
  return { kind: 'answered', status, details: unansweredDetails, why };
}

/** Envoy's words for it; what it adds in braces depends on where in the connection it ends. */
export const unansweredDetails = 'upstream_reset_before_response_started';

/** Whether the details of a logged answer are those of a prediction: Envoy adds in braces how a connection ended. */
export function isDetailsOf(details: string | undefined, predicted: string): boolean {
  return details === predicted || (predicted === unansweredDetails && details?.startsWith(`${predicted}{`) === true);
}

/** Faults of a request for which Envoy resets a stream of HTTP/2 with PROTOCOL_ERROR; for others it is INTERNAL_ERROR. */
const protocolErrors: ReadonlySet<string> = new Set([
  'http2.invalid.header.field',
  'http2.violation.of.messaging.rule',
]);

/** The status that a proxy answers with, where the next one resets the stream with these details. */
export function statusOfReset(details: string): 502 | 503 {
  return protocolErrors.has(details) ? 502 : 503;
}

/** Envoy's gRPC status for an HTTP status (source/common/grpc/status.cc); all others are UNKNOWN. */
const grpcStatuses: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
  504: 14,
};

/**
 * An answer in the form that the client of a request expects: gRPC has its status in a header, and 200 for HTTP. `protocol` is the
 * one over which the request came.
 */
export function inFormOf(
  request: Pick<HttpRequest, 'headers' | 'told' | 'opaque'>,
  outcome: Outcome,
  protocol: Connection['protocol'],
  blanks?: Blanks,
): Outcome {
  if (outcome.kind !== 'answered') return outcome;
  if (request.opaque?.includes('content-type')) {
    return { kind: 'unmodelled', at: 'the value of the header content-type' };
  }
  const isKnown = request.told?.includes('content-type') ?? true;
  const expectsGrpc =
    isKnown || blanks === undefined ? isGrpc(request, protocol) : blanks.ask('the header content-type', 'is of gRPC');
  if (!expectsGrpc) {
    if (outcome.grpcStatus === undefined) return outcome;
    const { grpcStatus, ...plain } = outcome;
    return plain;
  }
  return { ...outcome, status: 200, grpcStatus: outcome.grpcStatus ?? grpcStatuses[outcome.status] ?? 2 };
}

/** HTTP/2 leaves blanks where they are; of several lines Envoy makes one, without the empty ones. */
function isGrpc({ headers }: Pick<HttpRequest, 'headers'>, protocol: Connection['protocol']): boolean {
  let type = '';
  for (const [name, value] of headers) {
    if (name.length !== 12 || lowerCase(name) !== 'content-type') continue;
    const text = protocol === 'h2' ? value : withoutOuterBlanks(value);
    if (text !== '') type += type === '' ? text : `,${text}`;
  }
  return /^application\/grpc(?:$|\+)/.test(type);
}
