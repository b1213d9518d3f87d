import type { ApiRequest } from '../../kubernetes/api.ts';
import { apiVersionOf, pathOf } from '../../kubernetes/resource-type.ts';
import { type Condition, type ConditionWords, conditionAfter } from './condition.ts';
import type { ObjectReport } from './object-report.ts';

/** Field manager of the conditions that `meshd` writes. */
export const fieldManager = 'meshd';

const own: ReadonlySet<string> = new Set(['Accepted', 'Distributed', 'LintPassed']);

/**
 * The server-side apply request that writes these conditions; undefined if the object has them already. It applies only to
 * the revision that was seen, so that nothing is written about an object that has changed meanwhile.
 */
export function statusRequest(
  report: ObjectReport,
  words: readonly ConditionWords[],
  now: Date,
): ApiRequest | undefined {
  const { type, namespace, name, revision, generation } = report;
  const before = report.conditions.filter((condition) => own.has(condition.type));
  const conditions = words.map((it) => {
    const known = before.find((condition) => condition.type === it.type);
    return known !== undefined && known === it ? known : conditionAfter(known, it, generation, now);
  });
  if (conditions.length === before.length && conditions.every((condition) => before.includes(condition))) {
    return undefined;
  }
  const body = {
    ...{ apiVersion: apiVersionOf(type), kind: type.kind },
    metadata: { name, ...(namespace !== undefined && { namespace }), resourceVersion: revision },
    status: { conditions: [...foreignConditions(report), ...conditions] },
  };
  return {
    method: 'PATCH',
    path: `${pathOf(type, namespace, name)}/status?fieldManager=${fieldManager}&force=true`,
    contentType: 'application/apply-patch+yaml',
    body,
  };
}

/** Where a schema does not say that conditions are a map, a write replaces all of them: others' are written as they are. */
function foreignConditions({ type, conditions }: ObjectReport): readonly Condition[] {
  if (!type.group.endsWith('istio.io')) return [];
  return conditions.filter((condition) => !own.has(condition.type));
}
