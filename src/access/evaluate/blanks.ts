import type { Listener } from '../lift/listener.ts';

/** What is not known of a request as it arrives at its first proxy. Headers that are not known are told apart by `told`. */
export interface Blanks {
  readonly knows: { readonly authority: boolean; readonly identity: boolean; readonly serverName: boolean };
  /** The address of the client, and which of its two addresses that is: the socket's peer, or the one of forwarding headers. */
  readonly peer: { readonly address: string; readonly is: 'direct' | 'remote' | 'both' };
  /** Parameters of the query that may have held a token, which the proxy has taken out before it logged the path. */
  readonly takenParameters: ReadonlySet<string>;
  /**
   * Whether answers are assumed of whole rules and whole tokens, not of their parts: much fewer, and more of them together than
   * any request can have.
   */
  readonly isCoarse: boolean;
  /** Assumes an answer about a part of the request. The same question has the same answer as long as one try lasts. */
  ask(part: string, question: string): boolean;
}

/** Names of parts of a request, with the operator of an access log that tells them. */
export const parts = {
  direct: 'the direct address of the client (%DOWNSTREAM_DIRECT_REMOTE_ADDRESS%)',
  remote: 'the address of the client (%DOWNSTREAM_REMOTE_ADDRESS%)',
  identity: 'the identity of the client (%DOWNSTREAM_PEER_URI_SAN%)',
  serverName: 'the server name of the TLS handshake (%REQUESTED_SERVER_NAME%)',
  authority: 'the host of the request (%REQ(:AUTHORITY)%)',
  token: 'the token',
} as const;

/** Name of the filter that leaves claims. */
export const tokenFilter = 'envoy.filters.http.jwt_authn';

/** What chooses a filter chain and is not known; undefined where all is. */
export function lackingForChain(listener: Listener, blanks: Blanks): string | undefined {
  const { chains } = listener;
  if (!blanks.knows.serverName && chains.some(({ match }) => match.serverNames.length > 0)) return parts.serverName;
  if (blanks.peer.is === 'remote' && chains.some(({ match }) => match.sources.length > 0)) return parts.direct;
  return undefined;
}
