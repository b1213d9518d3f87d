import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { nearest } from '../lib/nearest.ts';
import { groupAlias } from '../policy/alias.ts';
import { experimentalGroup, standardGroup } from '../policy/gateway-api.ts';
import type { JsonObject, PolicyDocument } from '../source/document.ts';
import { hasHead, isNoObject } from '../source/head.ts';
import { groupsOf, type KnownKind, kindsOf, knownKind, ownGroupOf, ownGroups, usualVersions } from './kinds.ts';
import { meantGroups } from './meant-group.ts';
import { dispatchNeighbour, isNeighbour, refuseUnreadKind } from './refused-kinds.ts';

/** What a document is: a kind that is read, one that is none of ours, or one that is refused (and was reported). */
export type Dispatched = { readonly entry: KnownKind } | 'foreign' | 'refused';

/** Finds the kind of a document whose aliases are resolved, by `apiVersion` and `kind`. */
export function dispatch(document: PolicyDocument, bag: DiagnosticBag): Dispatched {
  const { apiVersion, kind } = document.value;
  if (document.isFound && isNoObject(document.value)) return 'foreign';
  if (!hasHead(document, bag)) return 'refused';
  const [group, version] = splitApiVersion(String(apiVersion));
  const entry = knownKind(group, String(kind));
  if (entry !== undefined) {
    if (entry.versions.includes(version)) return { entry };
    const expected = usualVersions(entry).join(', ');
    bag.report('unsupported-version', document.spanOf(['apiVersion']), { version, kind: entry.kind, expected });
    return 'refused';
  }
  if (ownGroups.includes(group)) {
    refuseKind(String(kind), group, document, bag);
    return 'refused';
  }
  const meant = meantGroups(group, String(kind));
  if (meant.length > 0) {
    const hint = hintOfGroups(meant, String(apiVersion));
    bag.report('unknown-api-group', document.spanOf(['apiVersion']), { group, kind: String(kind) }, { hint });
    return 'refused';
  }
  if (isNeighbour(group, String(kind))) return dispatchNeighbour(group, document, bag);
  const misspelt = misspeltKind(group, String(kind));
  if (misspelt === undefined) return 'foreign';
  if (misspelt.groups.length === 0) return dispatchNeighbour(group, document, bag);
  const hint = `did you mean ${misspelt.kind} of "${misspelt.groups[0]}"?`;
  bag.report('unknown-api-group', document.spanOf(['apiVersion']), { group, kind: String(kind) }, { hint });
  return 'refused';
}

/**
 * The kind of the mesh that one of an unknown group may have been meant to be, two letters away at most, and the groups; without
 * any where only the warning of such a kind is told. Undefined where it is somebody else's.
 */
function misspeltKind(
  group: string,
  kind: string,
): { readonly kind: string; readonly groups: readonly string[] } | undefined {
  if (groupsOf(kind).length > 0) return undefined;
  const meant = nearest(kind, ownGroups.flatMap(kindsOf), 2);
  if (meant === undefined) return undefined;
  const groups = meantGroups(group, meant);
  return groups.length > 0 || isNeighbour(group, meant) ? { kind: meant, groups } : undefined;
}

/** With the version, which each kind has, where the text has no group: that is what is to be written. */
function hintOfGroups(groups: readonly string[], apiVersion: string): string {
  const names = groups.map((group) => {
    if (group === '') return '"v1"';
    return apiVersion.includes('/') ? `"${group}"` : `"${group}/v1"`;
  });
  return `did you mean ${names.join(' or ')}?`;
}

/** True for documents of kinds that no program reads and that are not reported one by one. */
export function isForeign(group: string, kind: string): boolean {
  const isOurs = knownKind(group, kind) !== undefined || ownGroups.includes(group);
  if (isOurs || isNeighbour(group, kind) || meantGroups(group, kind).length > 0) return false;
  return misspeltKind(group, kind) === undefined;
}

/**
 * True for documents that are skipped before anything but their syntax is checked: the lines of the text itself must say
 * so, since nobody has looked yet whether all parsers read the document alike. Objects of the Gateway API are such documents
 * where they are skipped.
 */
export function isSkipped(value: JsonObject, text: string, isFound: boolean, skipsGatewayApi = false): boolean {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return isFound && isNoObject(value) && linesOf('kind', text).length === 0;
  }
  const group = groupAlias(splitApiVersion(apiVersion)[0]);
  const isPlain = (field: string, read: string): boolean => {
    const lines = linesOf(field, text);
    return lines.length === 1 && lines[0]?.includes(read) === true;
  };
  const isOther = isForeign(group, kind) || (skipsGatewayApi && isOfGatewayApi(value));
  return isOther && isPlain('kind', kind) && isPlain('apiVersion', apiVersion);
}

/** True for objects of the groups of the Gateway API, but for kinds of ours that have it by mistake. */
export function isOfGatewayApi({ apiVersion, kind }: JsonObject): boolean {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
  const [group] = splitApiVersion(apiVersion);
  return [standardGroup, experimentalGroup].includes(group) && meantGroups(group, kind).length === 0;
}

/** Lines that give a field of the document itself, in block style. */
function linesOf(field: string, text: string): readonly string[] {
  return text.match(new RegExp(`^["']?${field}["']?[ \\t]*:.*$`, 'gm')) ?? [];
}

/** Group and version; the group of `v1` is empty. */
export function splitApiVersion(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

function refuseKind(kind: string, group: string, document: PolicyDocument, bag: DiagnosticBag): void {
  if (refuseUnreadKind(kind, group, document, bag)) return;
  const elsewhere = ownGroupOf(kind) ?? groupsOf(kind).find((home) => home !== '');
  const near = nearest(kind, kindsOf(group));
  const hint =
    elsewhere === undefined
      ? near && `did you mean "${near}"?`
      : `${kind} belongs to ${elsewhere}: change "apiVersion"`;
  bag.report('unknown-kind', document.spanOf(['kind']), { kind, group }, { hint });
}
