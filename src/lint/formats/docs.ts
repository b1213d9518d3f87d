import { registry } from '../../diagnostics/registry.ts';
import type { RunnableRule } from '../rule.ts';

/** The section of the documents that explains a finding, as a path from the root of the repository. */
export function docsOf(rule: RunnableRule | undefined, code: string): string | undefined {
  // Rules of users have no page of ours.
  if (rule !== undefined) return rule.id === undefined ? undefined : `docs/reference/lint-rules.md#${code}`;
  return code in registry ? `docs/reference/diagnostics.md#${code}` : undefined;
}
