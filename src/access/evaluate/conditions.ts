import type { HeaderMatch, MetadataMatch, ValueMatch } from '../lift/matchers.ts';
import type { Leaf } from '../lift/rbac.ts';
import type { StringMatch } from '../model/string-match.ts';
import type { ClientTls } from '../request.ts';
import { headerQuestion, isBlankHeader } from './blank-leaves.ts';
import type { RequestView } from './request-view.ts';

/** Whether a request has what a leaf of a condition wants, where all of it is known. */
export function leafHolds(leaf: Leaf, view: RequestView): boolean {
  switch (leaf.kind) {
    case 'header':
      return headerHolds(leaf.header, view.lines(leaf.header.name));
    case 'path':
      return leaf.match.matches(view.barePath);
    case 'path-template':
      return leaf.template.matches(view.barePath);
    case 'destination-ip':
      return leaf.block.holds(view.destination);
    case 'destination-port':
      return view.connection.destination.port === leaf.port;
    case 'direct-remote-ip':
      return leaf.block.holds(view.direct);
    case 'remote-ip':
      return leaf.block.holds(view.remote);
    case 'server-name':
      return leaf.match.matches(view.connection.tls?.serverName ?? '');
    case 'identity':
      return hasIdentity(leaf.match, view.connection.tls);
    case 'metadata':
      return metadataHolds(leaf.metadata, view.metadata);
  }
}

/** Whether a client has a verified certificate, with one of the wanted identities. */
export function hasIdentity(match: StringMatch | 'any', tls: ClientTls | undefined): boolean {
  const identities = tls?.identities;
  return identities !== undefined && (match === 'any' || identities.some((uri) => match.matches(uri)));
}

/** Whether a condition of a header, or of a route, holds. */
export function viewHeaderHolds(header: HeaderMatch, view: RequestView): boolean {
  if (view.blanks !== undefined && isBlankHeader(header, view)) return view.blanks.ask(...headerQuestion(header));
  return headerHolds(header, view.lines(header.name));
}

/** Any of several lines is enough. An absent header matches nothing, also where the match is inverted, unless it counts as empty. */
export function headerHolds(header: HeaderMatch, lines: readonly string[]): boolean {
  const { match, isInverted, takesAbsentAsEmpty } = header;
  if (match === 'present') return lines.length > 0 !== isInverted;
  if (lines.length === 0) return takesAbsentAsEmpty && match.matches('') !== isInverted;
  // Most have one line, and hundreds of rules ask for it.
  const isMet = lines.length === 1 ? match.matches(lines[0] ?? '') : lines.some((line) => match.matches(line));
  return isMet !== isInverted;
}

export function metadataHolds(match: MetadataMatch, metadata: ReadonlyMap<string, unknown>): boolean {
  return valueHolds(match.value, metadataAt(match, metadata));
}

/** The last key of a path whose parents are messages; undefined where there is none. */
export function metadataAt({ filter, path }: MetadataMatch, metadata: ReadonlyMap<string, unknown>): unknown {
  let found = metadata.get(filter);
  for (const key of path) found = isMessage(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

function valueHolds(match: ValueMatch, value: unknown): boolean {
  switch (match.kind) {
    case 'present':
      return value !== undefined;
    case 'text':
      return typeof value === 'string' && match.match.matches(value);
    case 'range':
      return typeof value === 'number' && value >= match.from && value < match.below;
    case 'some-element':
      return Array.isArray(value) && value.some((element) => valueHolds(match.of, element));
    case 'some':
      return match.of.some((one) => valueHolds(one, value));
  }
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
