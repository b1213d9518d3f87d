import type { AccessRequest } from '../evaluate/access-request.ts';
import type { Blanks } from '../evaluate/blanks.ts';
import type { ClientTls, HttpRequest } from '../request.ts';
import type { LogTraits } from './log-traits.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { PlacedLine } from './place-line.ts';

/** What is known of the request of a line, as it arrived at the proxy that wrote the line. */
export interface KnownRequest {
  readonly access: Omit<AccessRequest, 'from'>;
  readonly known: Omit<Blanks, 'ask' | 'isCoarse'>;
  /** What clients may have presented, plaintext as undefined. One for a client whose connections its sidecar takes. */
  readonly tls: readonly (ClientTls | undefined)[];
}

/** How the proxy that wrote a line changes requests, and which paths the others rewrite. */
export interface WriterTraits extends LogTraits {
  readonly rewrittenByOthers: LogTraits['rewritten'];
  /** Headers that some condition reads: the others need not be known. */
  readonly read: ReadonlySet<string>;
  readonly trustDomain: string;
}

/** What is known of a logged request; a text names a part that is not, and that nothing can be said without. */
export function knownRequest(logged: LoggedRequest, placed: PlacedLine, traits: WriterTraits): KnownRequest | string {
  const { side, destination } = placed;
  if (side === 'client' && logged.serverName !== undefined && logged.protocol === 'bytes') {
    return 'the TLS of the application';
  }
  const request = logged.protocol === 'bytes' ? undefined : httpRequest(logged, side, traits);
  if (typeof request === 'string') return request;
  return {
    access: { to: destination, protocol: logged.protocol, ...(request !== undefined && { request: request.http }) },
    known: {
      knows: {
        authority: request?.knowsAuthority ?? true,
        identity: side === 'client' || logged.tellsIdentity,
        serverName: side === 'client' || logged.tells.serverName,
      },
      peer: peerOf(logged, placed, traits),
      // Tokens are read where requests come in.
      takenParameters: side === 'client' ? new Set() : traits.takenParameters,
    },
    tls: side === 'client' ? [undefined] : presented(logged, traits),
  };
}

function httpRequest(
  logged: LoggedRequest,
  side: PlacedLine['side'],
  traits: WriterTraits,
): { readonly http: HttpRequest; readonly knowsAuthority: boolean } | string {
  const { method, path, authority, tells } = logged;
  if (method === undefined) return 'the method of the request (%REQ(:METHOD)%)';
  // What is no ASCII is logged in another form than it had.
  if (path === undefined || !isPlain(path)) return 'the path of the request (%REQ(:PATH)%)';
  const rewritten = tells.path === 'last' ? traits.rewritten : side === 'client' ? [] : traits.rewrittenByOthers;
  const [bare = ''] = path.split('?');
  if (rewritten.some((match) => tells.path === 'last' || match.matches(bare))) {
    return 'the path of the request as it arrived: a route rewrites it';
  }
  const knowsAuthority = authority !== undefined && isPlain(authority) && !traits.changesAuthority;
  const values = new Map(logged.headers);
  const told = tells.headers.filter(
    (name) =>
      traits.read.has(name) && !traits.changesAll && !traits.changed.has(name) && isPlain(values.get(name) ?? ''),
  );
  // The peer's address that the proxy has appended to is read by `peerOf`.
  const kept = told.filter((name) => name !== 'x-forwarded-for' || !traits.appendsPeer);
  const headers = kept.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { http: { method, path, authority: authority ?? '', headers, told: kept }, knowsAuthority };
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Without forwarding headers, the address of the client is that of the socket's peer. */
function peerOf(logged: LoggedRequest, { side, source }: PlacedLine, traits: WriterTraits): Blanks['peer'] {
  const { address } = source;
  if (side === 'client' || logged.protocol === 'bytes') return { address, is: 'both' };
  const { headers, directAddress } = logged.tells;
  if (directAddress) return { address, is: 'direct' };
  if (!headers.includes('x-forwarded-for') || traits.changesAll) return { address, is: 'remote' };
  const forwarded = new Map(logged.headers).get('x-forwarded-for');
  const last = traits.appendsPeer ? forwarded?.split(',').at(-1)?.trim() : forwarded;
  return { address, is: last === (traits.appendsPeer ? address : undefined) ? 'both' : 'remote' };
}

/** Each way that a client may have begun its connection, as far as it may matter. */
function presented(
  { identity, serverName, tellsIdentity }: LoggedRequest,
  { alpn, trustDomain }: WriterTraits,
): readonly (ClientTls | undefined)[] {
  const plain = identity === undefined && serverName === undefined ? [undefined] : [];
  const certificates =
    identity !== undefined
      ? // Envoy lists the names of a certificate that has several.
        [identity.split(',')]
      : tellsIdentity
        ? [undefined]
        : [undefined, [`spiffe://${trustDomain}/ns/unknown/sa/unknown`]];
  const tls = certificates.flatMap((identities) =>
    alpn.map((protocols): ClientTls => ({ serverName, alpn: protocols, identities })),
  );
  return [...plain, ...tls];
}
