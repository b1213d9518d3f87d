import type { AuthorizationRule, Source } from '../../policy/authorization-policy.ts';

/** The field by which a source takes every identity of the mesh, and asks for nothing else. */
export function anyIdentityField(source: Source): 'principals' | 'namespaces' | undefined {
  const [[field, values] = [], ...others] = Object.entries(source) as [string, readonly string[]][];
  if (others.length > 0 || (field !== 'principals' && field !== 'namespaces')) return undefined;
  return values?.includes('*') === true ? field : undefined;
}

/** Whether every workload of the mesh may do everything by a rule. */
export function isForAnyIdentity({ from = [], to = [], when = [] }: AuthorizationRule): boolean {
  return to.length + when.length === 0 && from.some(({ source }) => anyIdentityField(source) !== undefined);
}
