import type { ApiRequest } from '../../../kubernetes/api.ts';
import { pathOf } from '../../../kubernetes/resource-type.ts';
import { ownControllers } from '../../../policy/gateway-controllers.ts';
import { type Condition, type ConditionWords, conditionAfter, conditionsOf } from '../condition.ts';
import type { ObjectReport } from '../object-report.ts';
import { fieldManager } from '../status-request.ts';
import type { ListenerStatus, ParentReference, ParentStatus, StandardStatus } from './standard-status.ts';
import { fieldOf, itemsOf } from './standard-subject.ts';

/** What conditions are about, and when they are written. */
interface Writing {
  readonly generation: number;
  readonly now: Date;
}

/** Types of conditions of Gateways and their listeners that we write; others belong to others. */
const own: ReadonlySet<string> = new Set(['Accepted', 'Programmed', 'ResolvedRefs', 'Conflicted']);

/**
 * The request that makes the status of an object of the Gateway API what it should be; undefined if it is so already. Whole lists
 * are written, with what others wrote into them, so it applies only to the revision that was seen.
 */
export function standardRequest(report: ObjectReport, wanted: StandardStatus, now: Date): ApiRequest | undefined {
  const { type, namespace, name, revision, generation, status: before } = report;
  const writing = { generation, now };
  const { conditions, addresses, listeners, parents } = wanted;
  const status = {
    ...(conditions && { conditions: conditionsAfter(conditionsOf(before), conditions, writing) }),
    ...(addresses && (addresses.length > 0 || itemsOf(before, 'addresses').length > 0) && { addresses }),
    ...(listeners && { listeners: listeners.map((it) => listenerAfter(itemsOf(before, 'listeners'), it, writing)) }),
    ...(parents && parentsPart(itemsOf(before, 'parents'), parents, writing)),
  };
  if (isContained(status, before ?? {})) return undefined;
  return {
    method: 'PATCH',
    path: `${pathOf(type, namespace, name)}/status?fieldManager=${fieldManager}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion: revision }, status },
  };
}

/** Each at the place that it has. */
function conditionsAfter(
  before: readonly Condition[],
  wanted: readonly ConditionWords[],
  { generation, now }: Writing,
): readonly Condition[] {
  const kept = before.flatMap((condition) => {
    const words = wanted.find(({ type }) => type === condition.type);
    if (words !== undefined) return [conditionAfter(condition, words, generation, now)];
    return own.has(condition.type) ? [] : [condition];
  });
  const added = wanted.filter(({ type }) => !before.some((condition) => condition.type === type));
  return [...kept, ...added.map((words) => conditionAfter(undefined, words, generation, now))];
}

function listenerAfter(before: readonly unknown[], wanted: ListenerStatus, writing: Writing): object {
  const known = before.find((it) => fieldOf(it, 'name') === wanted.name);
  return { ...wanted, conditions: conditionsAfter(conditionsOf(known), wanted.conditions, writing) };
}

/** A list without entries is written only if there was one: of routes that never were ours nothing is written. */
function parentsPart(before: readonly unknown[], wanted: readonly ParentStatus[], writing: Writing): object {
  const after = parentsAfter(before, wanted, writing);
  return after.length === 0 && before.length === 0 ? {} : { parents: after };
}

/** Entries of other controllers stay as they are; of ours those that are wanted. */
function parentsAfter(
  before: readonly unknown[],
  wanted: readonly ParentStatus[],
  writing: Writing,
): readonly unknown[] {
  const keyOf = ({ controllerName, parentRef }: ParentStatus): string =>
    JSON.stringify([controllerName, keyed(parentRef)]);
  const missing = new Map(wanted.map((it) => [keyOf(it), it]));
  const kept = before.flatMap((entry): readonly unknown[] => {
    if (!ownControllers.has(String(fieldOf(entry, 'controllerName')))) return [entry];
    const known = entry as ParentStatus;
    const key = keyOf(known);
    const found = missing.get(key);
    missing.delete(key);
    return found === undefined
      ? []
      : [{ ...found, conditions: conditionsAfter(conditionsOf(known), found.conditions, writing) }];
  });
  const added = [...missing.values()].map((it) => ({ ...it, conditions: conditionsAfter([], it.conditions, writing) }));
  return [...kept, ...added];
}

function keyed(reference: unknown): readonly unknown[] {
  const fields: readonly (keyof ParentReference)[] = ['group', 'kind', 'namespace', 'name', 'sectionName', 'port'];
  return fields.map((field) => fieldOf(reference, field) ?? null);
}

/** Whether a server has all that is wanted; it may have filled in more. */
function isContained(wanted: unknown, found: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === found;
  if (typeof found !== 'object' || found === null || Array.isArray(wanted) !== Array.isArray(found)) return false;
  if (Array.isArray(wanted) && wanted.length !== (found as unknown[]).length) return false;
  return Object.entries(wanted).every(([key, value]) => isContained(value, fieldOf(found, key)));
}
