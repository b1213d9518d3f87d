import type { HeaderMatch } from '../lift/matchers.ts';
import type { Leaf } from '../lift/rbac.ts';
import type { Connection } from '../request.ts';
import { type Blanks, parts, tokenFilter } from './blanks.ts';
import type { RequestView } from './request-view.ts';

/** Whether the value of a property is not known. Paths and destinations always are. */
export function isBlank(leaf: Leaf, view: RequestView): boolean {
  const { blanks, connection } = view;
  if (blanks === undefined) return leaf.kind === 'header' && isBlankHeader(leaf.header, view);
  const isFirst = isFromPeer(connection, blanks);
  switch (leaf.kind) {
    case 'header':
      return isBlankHeader(leaf.header, view);
    case 'direct-remote-ip':
      return isFirst && blanks.peer.is === 'remote';
    case 'remote-ip':
      return isFirst && !view.knowsRemote;
    case 'server-name':
      return isFirst && !blanks.knows.serverName;
    case 'identity':
      return isFirst && !blanks.knows.identity && connection.tls?.identities !== undefined && leaf.match !== 'any';
    case 'metadata':
      return leaf.metadata.filter === tokenFilter && view.unreadToken !== undefined;
    case 'path':
    case 'path-template':
    case 'destination-ip':
    case 'destination-port':
      return false;
  }
}

/** A later proxy is called by the proxy before, which is known. */
function isFromPeer({ source }: Connection, { peer }: Blanks): boolean {
  return source === peer.address;
}

/** Whether it is not known if a header of the request, or of a route, matches. */
export function isBlankHeader(header: HeaderMatch, view: RequestView): boolean {
  const { name } = header;
  const { headers, blanks } = view;
  const isOpaque = isOpaqueHeader(header, view);
  if (name === ':authority' || name === 'host') return isOpaque || blanks?.knows.authority === false;
  return isOpaque || (!name.startsWith(':') && !headers.isTold(name));
}

/** Whether only a proxy knows the value that is compared, or whether there is one. */
export function isOpaqueHeader({ name, match }: HeaderMatch, { headers, opaque }: RequestView): boolean {
  return opaque.includes(name) && (match !== 'present' || !headers.has(name));
}

/** The part that a property is of, and the property: equal where the same is asked of the same. */
export function questionOf(leaf: Leaf, view: RequestView): readonly [part: string, question: string] {
  switch (leaf.kind) {
    case 'header':
      return headerQuestion(leaf.header);
    case 'direct-remote-ip':
      return [parts.direct, leaf.block.text];
    case 'remote-ip':
      return [parts.remote, leaf.block.text];
    case 'server-name':
      return [parts.serverName, JSON.stringify(leaf.match)];
    case 'identity':
      return [parts.identity, JSON.stringify(leaf.match)];
    case 'metadata': {
      const { path, value } = leaf.metadata;
      return [`the claim ${path.slice(1).join('.')} of the token`, JSON.stringify([view.unreadToken, path, value])];
    }
    default:
      throw new Error(`${leaf.kind} is always known`);
  }
}

export function headerQuestion(header: HeaderMatch): readonly [part: string, question: string] {
  const { name } = header;
  const part = name === ':authority' || name === 'host' ? parts.authority : `the header ${name} (%REQ(${name})%)`;
  return [part, JSON.stringify(header)];
}
