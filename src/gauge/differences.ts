import { notHttp, type Outcome, type Passage } from '../access/outcome.ts';
import type { HttpRequest } from '../access/request.ts';
import { sawPathLength } from './echo.ts';
import type { GaugeAnswer } from './gauge-case.ts';

/** How the client sees the end of its connection where curl exits with this code. */
const endings: Readonly<Record<number, readonly string[]>> = {
  // What TLS says to plain text is an answer of HTTP/0.9 to curl.
  1: ['end', 'reset'],
  7: ['ECONNREFUSED'],
  // What is no frame of HTTP/2 is a fault to its client.
  16: ['end', 'reset', 'ERR_HTTP2_ERROR'],
  18: ['end', 'reset', 'ERR_HTTP2_ERROR'],
  // A handshake without an end, whatever ends the connection.
  35: ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'reset', 'end'],
  52: ['end'],
  55: ['reset', 'EPIPE'],
  56: ['reset', 'EPIPE'],
};

/** Names of what the evaluator and Envoy see differently: outcome, reason, chain, route, and what the application saw. */
export function differences({ outcome, steps }: Passage, answer: GaugeAnswer): readonly string[] {
  const decider = (station: string): string => steps.find((step) => step.station === station)?.decider ?? '';
  const { status, details } = answer;
  const facts: Record<string, boolean> = { chain: answer.chain === '' || answer.chain === decider('chain') };
  switch (outcome.kind) {
    case 'answered':
      // An authorizer that denies chooses its own status.
      facts.status = status === outcome.status || (details === 'ext_authz_denied' && outcome.details === details);
      facts.grpcStatus = answer.grpcStatus === outcome.grpcStatus;
      facts.details = codecDetails(details) === codecDetails(outcome.details);
      break;
    case 'reaches':
      facts.cluster = outcome.clusters.includes(answer.cluster);
      facts.route = outcome.request === undefined || answer.route === decider('route');
      // A TCP proxy has no word for what the application answers.
      facts.details = details === 'via_upstream' || details === '';
      if (outcome.request === undefined || answer.sawPath === undefined) break;
      facts.path = answer.sawPath === outcome.request.path.slice(0, sawPathLength);
      facts.host = answer.sawHost === outcome.request.authority;
      Object.assign(facts, headersSeen(outcome.request, answer.saw ?? {}));
      break;
    case 'closed':
      facts.status = status === 0;
      // A TCP proxy chooses its cluster before TLS is there; what comes back says that it was reached.
      facts.cluster = answer.cluster === '' || answer.ending !== 'bytes';
      facts.ending = endsSo(outcome, answer);
      facts.details = details.startsWith('rbac') ? details === outcome.details : !outcome.details.startsWith('rbac');
      break;
    case 'reset':
      facts.status = status === 0 || details === outcome.details;
      break;
    case 'unmodelled':
      facts.modelled = false;
  }
  return Object.keys(facts).filter((name) => facts[name] === false);
}

/** Whether the end that a client saw is one for which curl has a code that was predicted. */
function endsSo(
  { exitCodes, details }: Outcome & { readonly kind: 'closed' },
  { ending = '', cluster }: GaugeAnswer,
): boolean {
  // A connection manager answers them in HTTP.
  if (ending === 'bytes' && cluster === '') return details === notHttp;
  // A client that is refused knows it by an alert, in its handshake or when it is connected: curl has several codes for that.
  if (/^ERR_SSL_.*ALERT/.test(ending)) return exitCodes.length > 1 && exitCodes.includes(35);
  return exitCodes.some((code) => endings[code]?.includes(ending));
}

/** By header, whether the application saw what was predicted. */
function headersSeen(
  { headers, opaque = [] }: HttpRequest,
  saw: NonNullable<GaugeAnswer['saw']>,
): Record<string, boolean> {
  const entries = Object.entries(saw).map(([name, text]) => {
    const lines = headers.filter(([key]) => key === name).map(([, value]) => value);
    // The echo tells the first line, and Envoy leaves out a header that would be empty.
    const expected = lines[0] || '-';
    return [`header ${name}`, opaque.includes(name) || expected === text] as const;
  });
  return Object.fromEntries(entries);
}

/** Which of two words Envoy has for a request that its codec refuses depends on what other connections sent before. */
export function codecDetails(details: string): string {
  return details === 'http1.invalid_characters' ? 'http1.codec_error' : details;
}
