import { lookup } from '../../lib/lookup.ts';
import type { LabelCondition, LabelSelector } from '../../policy/label-selector.ts';
import type { Labels } from './selector.ts';

/** Whether labels fulfil the selector; one without any condition selects nothing. Keys are compared as they are. */
export function selectsLabels({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  const wanted = Object.entries(matchLabels);
  if (wanted.length + matchExpressions.length === 0) return false;
  return (
    wanted.every(([key, value]) => lookup(labels, key) === value) &&
    matchExpressions.every((condition) => holds(condition, lookup(labels, condition.key)))
  );
}

/** As in Kubernetes, a label that is absent is in no list: `NotIn` holds for it. */
function holds({ operator, values = [] }: LabelCondition, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
