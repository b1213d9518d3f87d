import type { Chain, Listener, NetworkFilter, ServerTls } from '../lift/listener.ts';
import type { Outcome, Passage, Step } from '../outcome.ts';
import type { ClientTls, Connection, HttpRequest } from '../request.ts';
import { accessStep, denialDetails, judge } from './access-rules.ts';
import { chooseChain } from './choose-chain.ts';
import { manage } from './manage.ts';
import { RequestView } from './request-view.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Follows a connection at a listener, and the request on it; without a request, its bytes. `opening` is the first request of
 * the connection, if that is another one.
 */
export function serve(
  listener: Listener,
  connection: Connection,
  request: HttpRequest | undefined,
  surroundings: Surroundings,
  opening = request,
): Passage {
  const steps: Step[] = [];
  if (listener.gap !== undefined) return { outcome: { kind: 'unmodelled', at: listener.gap }, steps };
  const { chain, others } = chooseChain(listener, connection, opening);
  // The inspectors have only looked: the kernel sends a reset for bytes that nobody has read.
  if (chain === undefined) {
    for (const { at } of others) steps.push({ station: 'chain', at, decider: '' });
    return { outcome: closed([56], 'no filter chain takes it'), steps };
  }
  steps.push({ station: 'chain', at: chain.at, decider: chain.name });
  // TLS that the chain does not end is bytes to it, and nobody is known by a certificate.
  const bytes = chain.tls === undefined && connection.tls !== undefined;
  const arriving: Connection = bytes
    ? {
        ...connection,
        protocol: 'bytes',
        tls: { ...connection.tls, alpn: connection.tls?.alpn ?? [], identities: undefined },
      }
    : connection;
  if (chain.gap !== undefined) return { outcome: { kind: 'unmodelled', at: chain.gap }, steps };
  const refusal = handshake(chain, connection.tls);
  if (refusal !== undefined) {
    steps.push({ station: 'tls', at: chain.at.at('transport_socket'), decider: '' });
    return { outcome: refusal, steps };
  }
  return { outcome: alongFilters(chain, arriving, bytes ? undefined : request, surroundings, steps), steps };
}

/** Why the server ends the handshake; undefined where it does not. Plaintext on a chain of TLS is no handshake. */
function handshake({ tls }: Chain, client: ClientTls | undefined): Outcome | undefined {
  if (tls === undefined) return undefined;
  if (client === undefined) return closed([52, 56], 'plaintext on TLS');
  if (client.identities === undefined) {
    return tls.requiresCertificate ? closed(handshakeExits, 'no client certificate') : undefined;
  }
  return isTrusted(tls, client.identities) ? undefined : closed(handshakeExits, 'client certificate refused');
}

/** A client learns late that its certificate is not wanted: which of these it sees is a matter of time. */
const handshakeExits: readonly number[] = [16, 35, 55, 56];

function isTrusted({ identities }: ServerTls, presented: readonly string[]): boolean {
  return identities.length === 0 || presented.some((uri) => identities.some((wanted) => wanted.matches(uri)));
}

function alongFilters(
  chain: Chain,
  connection: Connection,
  request: HttpRequest | undefined,
  surroundings: Surroundings,
  steps: Step[],
): Outcome {
  for (const filter of chain.filters) {
    const outcome = through(filter, connection, request, surroundings, steps);
    if (outcome !== undefined) return outcome;
  }
  return closed([52, 56], 'no filter takes the connection');
}

function through(
  filter: NetworkFilter,
  connection: Connection,
  request: HttpRequest | undefined,
  surroundings: Surroundings,
  steps: Step[],
): Outcome | undefined {
  switch (filter.kind) {
    case 'rbac': {
      if (filter.rules === undefined) return undefined;
      const view = bareView(connection);
      const verdict = judge(filter.rules, view);
      if (verdict.kind === 'unmodelled') return verdict;
      steps.push(accessStep('network-access', filter.rules, verdict.rule, view));
      // The filter has read the bytes, so the end is a plain one.
      return verdict.kind === 'denied' ? closed([52], denialDetails(verdict.rule)) : undefined;
    }
    case 'tcp':
      return { kind: 'reaches', clusters: filter.clusters };
    case 'http':
      if (request === undefined) return closed([35, 52, 56], 'bytes that are not HTTP');
      return manage(filter.manager, connection, request, surroundings, steps);
    case 'unknown':
      return { kind: 'unmodelled', at: filter.at.path.join('.') };
  }
}

/** A connection alone, as network filters see it: nothing of HTTP is there. */
function bareView(connection: Connection): RequestView {
  return new RequestView(connection, { method: '', path: '', authority: '' }, new Map(), connection.source);
}

function closed(exitCodes: readonly number[], details: string): Outcome {
  return { kind: 'closed', exitCodes, details };
}
