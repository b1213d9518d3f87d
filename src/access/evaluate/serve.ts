import { type Chain, catchers, type Listener, type NetworkFilter } from '../lift/listener.ts';
import { HeaderLines } from '../model/header-lines.ts';
import { notHttp, type Outcome, type Passage, type Step } from '../outcome.ts';
import type { ClientTls, Connection, HttpRequest } from '../request.ts';
import { accessStep, denialDetails, judge, leaveShadow } from './access-rules.ts';
import { askAuthorizer } from './authorizer.ts';
import { lackingForChain } from './blanks.ts';
import { chooseChain, isLookedInto, unknownToInspectors } from './choose-chain.ts';
import { type CutClient, closed, closedWith, type Ending } from './closed.ts';
import { shakeHands } from './handshake.ts';
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
  if (surroundings.blanks !== undefined) {
    const lacking = lackingForChain(listener, surroundings.blanks);
    if (lacking !== undefined) return { outcome: { kind: 'unmodelled', at: lacking }, steps };
  }
  const unknown = unknownToInspectors(listener, connection, opening);
  if (unknown !== undefined) return { outcome: { kind: 'unmodelled', at: unknown }, steps };
  const { chain, others } = chooseChain(listener, connection, opening);
  if (surroundings.observer !== undefined) {
    const looked = chain === undefined ? others : [chain];
    const places = looked.map(({ at }) => at);
    surroundings.observer.connection(listener.name, places, connection);
  }
  const isInspected = isLookedInto(listener.inspectors.tls, connection);
  // The inspectors have only looked: the kernel sends a reset for bytes that nobody has read.
  const untaken = isInspected || isLookedInto(listener.inspectors.http, connection) ? 'unread' : 'unawaited';
  if (chain === undefined) {
    for (const { at } of others) steps.push({ station: 'chain', at, decider: '' });
    if (others.length === 0) steps.push(...missingServer(listener, connection));
    const client = { protocol: connection.protocol, isShakingHands: connection.tls !== undefined };
    return { outcome: closed(untaken, client, 'no filter chain takes it'), steps };
  }
  steps.push({ station: 'chain', at: chain.at, decider: chain.name });
  if (chain.gap !== undefined) return { outcome: { kind: 'unmodelled', at: chain.gap }, steps };
  const { arriving, onward, refusal } = shakeHands(chain, connection, isInspected, opening);
  if (refusal !== undefined) {
    steps.push({ station: 'tls', at: chain.at.at('transport_socket'), decider: '' });
    return { outcome: refusal, steps };
  }
  const passing = new Passing(
    { chain, connection: arriving, onward, untaken },
    arriving.protocol === 'bytes' ? undefined : request,
    surroundings,
    steps,
  );
  return { outcome: passing.along(), steps };
}

/** At a gateway, whose listener is decided by the Gateways that have servers on its port: other names are none of theirs. */
function missingServer({ isBound, name, at }: Listener, { tls }: Connection): readonly Step[] {
  if (!isBound || name === catchers.inbound || name === catchers.outbound) return [];
  const asked = tls?.serverName ? `has the name ${tls.serverName}` : 'takes connections that name no server';
  return [{ station: 'chain', at, decider: '', why: `no server of the port ${asked}` }];
}

/** A connection that a filter chain has taken. */
interface Accepted {
  readonly chain: Chain;
  readonly connection: Connection;
  /** Bytes of TLS are the client's, to the end. */
  readonly onward: ClientTls | undefined;
  /** How it ends where no filter takes it. */
  readonly untaken: Ending;
}

/** A connection inside its filter chain. */
class Passing {
  readonly #chain: Chain;
  readonly #connection: Connection;
  readonly #onward: ClientTls | undefined;
  readonly #untaken: Ending;
  readonly #request: HttpRequest | undefined;
  readonly #surroundings: Surroundings;
  readonly #steps: Step[];
  #connectionView: RequestView | undefined;
  #cluster: string | undefined;

  constructor(
    { chain, connection, onward, untaken }: Accepted,
    request: HttpRequest | undefined,
    surroundings: Surroundings,
    steps: Step[],
  ) {
    this.#chain = chain;
    this.#connection = connection;
    this.#onward = onward;
    this.#untaken = untaken;
    this.#request = request;
    this.#surroundings = surroundings;
    this.#steps = steps;
  }

  /** The connection alone, as network filters see it: nothing of HTTP is there. */
  get #view(): RequestView {
    if (this.#connectionView !== undefined) return this.#connectionView;
    const nothing = { method: '', path: '', authority: '' };
    const { blanks } = this.#surroundings;
    const view = new RequestView(this.#connection, nothing, new HeaderLines([]), this.#connection.source, blanks);
    view.knowsRemote = blanks?.peer.is !== 'remote';
    this.#connectionView = view;
    return view;
  }

  get #client(): CutClient {
    return { protocol: this.#connection.protocol, isShakingHands: this.#onward !== undefined };
  }

  along(): Outcome {
    for (const filter of this.#chain.filters) {
      const outcome = this.#through(filter);
      if (outcome !== undefined) return outcome;
    }
    // No handshake begins where there is no filter.
    const { protocol, tls } = this.#connection;
    return closed(this.#untaken, { protocol, isShakingHands: tls !== undefined }, 'no filter takes the connection');
  }

  #through(filter: NetworkFilter): Outcome | undefined {
    switch (filter.kind) {
      case 'rbac':
        return this.#throughRules(filter);
      case 'authorizer': {
        const answer = askAuthorizer(filter.authorizer, this.#view, this.#surroundings);
        if (answer === undefined) return undefined;
        this.#steps.push({ station: 'authorizer', at: filter.at, decider: filter.authorizer.name });
        if (answer === 'allow') return undefined;
        return closed('read', this.#client, answer === 'deny' ? 'auth_denied' : 'auth_error');
      }
      case 'sni-cluster':
        this.#cluster = this.#connection.tls?.serverName || undefined;
        return undefined;
      case 'tcp': {
        this.#surroundings.observer?.passed(this.#view);
        const [only = '', ...others] = filter.clusters;
        const chosen = others.length === 0 ? only : this.#surroundings.choose('weight', 'bytes', filter.clusters);
        const onward = this.#onward;
        return { kind: 'reaches', clusters: [this.#cluster ?? chosen], ...(onward !== undefined && { tls: onward }) };
      }
      case 'http':
        // Envoy answers a TLS handshake in plain text, which the client's TLS takes for a fault.
        if (this.#request === undefined) return closedWith(this.#onward === undefined ? [52, 56] : [35], notHttp);
        return manage(filter.manager, this.#connection, this.#request, this.#surroundings, this.#steps);
      case 'unknown':
        return { kind: 'unmodelled', at: filter.at.path.join('.') };
    }
  }

  #throughRules({ access: { rules, shadow } }: NetworkFilter & { readonly kind: 'rbac' }): Outcome | undefined {
    const { observer } = this.#surroundings;
    if (shadow !== undefined) {
      const gap = leaveShadow('envoy.filters.network.rbac', shadow, this.#view, observer);
      if (gap !== undefined) return { kind: 'unmodelled', at: gap };
    }
    if (rules === undefined) return undefined;
    const verdict = judge(rules, this.#view, observer);
    if (verdict.kind === 'unmodelled') return verdict;
    this.#steps.push(accessStep('network-access', rules, verdict.rule, this.#view));
    // The filter has read the bytes, so the end is a plain one.
    return verdict.kind === 'denied' ? closed('read', this.#client, denialDetails(verdict.rule)) : undefined;
  }
}
