import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { compareStrings } from '../lib/sort.ts';
import { valueAt } from '../lib/value-at.ts';
import { groupAlias } from '../policy/alias.ts';
import { type MeshObject, notYetCreated } from '../policy/object.ts';
import type { ValidObject } from '../policy/policy.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { isNoObject } from '../source/head.ts';
import { dispatch, isForeign, isOfGatewayApi, splitApiVersion } from './dispatch.ts';
import { holdsSchema } from './explain.ts';
import { type KnownKind, ownGroupOf } from './kinds.ts';
import { reportNestedObject } from './nested-object.ts';
import { withoutNulls } from './nulls.ts';
import { resolveAliases } from './resolve-aliases.ts';
import { reporter } from './rule.ts';
import { commonRules } from './rules/common.ts';

/**
 * The typed object of a document, or undefined: then its mistakes are in the bag, or its kind is none that is read (see
 * `countSkipped`). Rules are checked only where the schema holds.
 */
export function validate(document: PolicyDocument, bag: DiagnosticBag): ValidObject | undefined {
  const resolved = resolveAliases(document, bag);
  const dispatched = dispatch(resolved, bag);
  if (dispatched === 'foreign' && isNoObject(document.value)) reportNestedObject(document, bag);
  if (typeof dispatched === 'string') return undefined;
  const { entry } = dispatched;
  if (!holdsSchema(entry.validator, resolved, entry.kind, bag)) return undefined;
  const object = objectOf(resolved, entry);
  const report = reporter(resolved, bag);
  for (const rule of commonRules) rule(object, report);
  // The table pairs rules with the kind that they are for, which the schema has just proven.
  for (const rule of entry.rules) rule(object as never, report);
  return object as unknown as ValidObject;
}

/**
 * One info line for all documents that are not read; nothing when there is none. Those of the Gateway API are among them
 * where they are skipped.
 */
export function countSkipped(documents: readonly PolicyDocument[], bag: DiagnosticBag, skipsGatewayApi = false): void {
  const counts = new Map<string, number>();
  for (const document of documents) {
    const what = isPolicyTest(document) ? undefined : skippedAs(document, skipsGatewayApi);
    if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  if (counts.size === 0) return;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const sorted = [...counts].sort(([a], [b]) => compareStrings(a, b));
  const kinds = sorted.map(([kind, count]) => `${kind} (${count})`).join(', ');
  const unit = counts.has(noObject) ? 'document' : 'object';
  const hint = documents.some(isMeshConfigMap) ? hintOfMeshConfigMap : undefined;
  bag.report('skipped-kinds', undefined, { count: `${total} ${unit}${total === 1 ? '' : 's'}`, kinds }, { hint });
}

/** A file of tests of policies may lie beside the policies. */
function isPolicyTest({ value }: PolicyDocument): boolean {
  return value.kind === 'PolicyTest' && String(value.apiVersion).startsWith('meshpol/');
}

const noObject = 'no object';

function skippedAs({ value, isFound }: PolicyDocument, skipsGatewayApi: boolean): string | undefined {
  if (isFound && isNoObject(value)) return noObject;
  if (typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') return undefined;
  const group = groupAlias(splitApiVersion(value.apiVersion)[0]);
  if (!isForeign(group, value.kind) && !(skipsGatewayApi && isOfGatewayApi(value))) return undefined;
  return ownGroupOf(value.kind) !== undefined ? `${value.kind} of ${group}` : value.kind;
}

/** Istio's control plane has its mesh configuration in the key `mesh` of a ConfigMap. */
function isMeshConfigMap({ value }: PolicyDocument): boolean {
  return (
    value.apiVersion === 'v1' && value.kind === 'ConfigMap' && typeof valueAt(value, ['data', 'mesh']) === 'string'
  );
}

const hintOfMeshConfigMap =
  'one of the ConfigMaps holds a mesh configuration: write the text of its key "mesh" into a file, and name that file by --meshConfig';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string | null;
}

const none: Readonly<Record<string, string>> = {};

function objectOf(document: PolicyDocument, { kind, id = kind, isNamespaced, parts }: KnownKind): MeshObject<string> {
  const { metadata, ...rest } = document.value as JsonObject & { readonly metadata: Metadata & JsonObject };
  const taken: [string, JsonValue][] = [];
  for (const part of parts) {
    const value = rest[part] as JsonValue | undefined;
    if (value !== undefined && value !== null) taken.push([part, withoutNulls(value)]);
  }
  return {
    kind: id,
    name: metadata.name,
    namespace: isNamespaced ? (metadata.namespace ?? 'default') : '',
    createdAt: metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : notYetCreated,
    labels: metadata.labels ?? none,
    annotations: metadata.annotations ?? none,
    document,
    ...Object.fromEntries(taken),
  };
}
