import type { CompiledFiles } from '../../contracts/compile-result.ts';
import type { LogFields } from '../../lib/log.ts';

/** A line names so many policies of each sort, and counts the rest. */
const mostNamed = 20;

/** What a line of the log tells of the change, under the names of its parts; nothing for a part without policies. */
export function changedPolicies(changes: CompiledFiles['changes']): LogFields {
  const told = Object.entries(changes ?? {}).filter(([, names]) => names.length > 0);
  const shown = told.map(([part, names]: readonly [string, readonly string[]]) => {
    const more = names.length > mostNamed ? [`and ${names.length - mostNamed} more`] : [];
    return [part, [...names.slice(0, mostNamed), ...more]];
  });
  return Object.fromEntries(shown);
}
