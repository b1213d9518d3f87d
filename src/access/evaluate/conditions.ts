import type { HeaderMatch, MetadataMatch, ValueMatch } from '../lift/matchers.ts';
import type { Condition, Leaf } from '../lift/rbac.ts';
import { headerQuestion, isBlank, isBlankHeader, questionOf } from './blank-leaves.ts';
import type { Blanks } from './blanks.ts';
import type { RequestView } from './request-view.ts';

/** Whether a request meets a condition of an access rule. */
export function holds(condition: Condition, view: RequestView): boolean {
  return view.blanks === undefined ? isMet(condition, view) : isMetOrAssumed(condition, view, view.blanks);
}

function isMet(condition: Condition, view: RequestView): boolean {
  switch (condition.kind) {
    case 'any':
      return true;
    case 'all':
      return condition.of.every((member) => isMet(member, view));
    case 'some':
      return condition.of.some((member) => isMet(member, view));
    case 'not':
      return !isMet(condition.of, view);
    default:
      return leafHolds(condition, view);
  }
}

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
    case 'identity': {
      const identities = view.connection.tls?.identities;
      const { match } = leaf;
      return identities !== undefined && (match === 'any' || identities.some((uri) => match.matches(uri)));
    }
    case 'metadata':
      return metadataHolds(leaf.metadata, view.metadata);
  }
}

/** What is known decides first; only where it does not, the rest is assumed. */
function isMetOrAssumed(condition: Condition, view: RequestView, blanks: Blanks): boolean {
  const known = knownTruth(condition, view);
  if (known !== undefined) return known;
  if (blanks.isCoarse) return blanks.ask('a rule', JSON.stringify(openPart(condition, view)));
  switch (condition.kind) {
    case 'any':
      return true;
    case 'all':
      return condition.of.every((member) => isMetOrAssumed(member, view, blanks));
    case 'some':
      return condition.of.some((member) => isMetOrAssumed(member, view, blanks));
    case 'not':
      return !isMetOrAssumed(condition.of, view, blanks);
    default:
      return blanks.ask(...questionOf(condition, view));
  }
}

/** Undefined where it depends on what is not known. */
function knownTruth(condition: Condition, view: RequestView): boolean | undefined {
  switch (condition.kind) {
    case 'any':
      return true;
    case 'all':
    case 'some': {
      const decisive = condition.kind === 'some';
      let isOpen = false;
      for (const member of condition.of) {
        const truth = knownTruth(member, view);
        if (truth === decisive) return decisive;
        isOpen ||= truth === undefined;
      }
      return isOpen ? undefined : !decisive;
    }
    case 'not': {
      const truth = knownTruth(condition.of, view);
      return truth === undefined ? undefined : !truth;
    }
    default:
      return isBlank(condition, view) ? undefined : leafHolds(condition, view);
  }
}

/** What is left of a condition of which neither is known: equal where the same is asked of the same. */
function openPart(condition: Condition, view: RequestView): unknown {
  switch (condition.kind) {
    case 'any':
      throw new Error('it is always met');
    case 'all':
    case 'some': {
      const open = condition.of.filter((member) => knownTruth(member, view) === undefined);
      const parts = open.map((member) => openPart(member, view));
      return parts.length === 1 ? parts[0] : { [condition.kind]: parts };
    }
    case 'not':
      return { not: openPart(condition.of, view) };
    default:
      return questionOf(condition, view);
  }
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
  return lines.some((line) => match.matches(line)) !== isInverted;
}

/** The last key of a path whose parents are messages; undefined where there is none. */
export function metadataHolds({ filter, path, value }: MetadataMatch, metadata: ReadonlyMap<string, unknown>): boolean {
  let found = metadata.get(filter);
  for (const key of path) found = isMessage(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return valueHolds(value, found);
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
