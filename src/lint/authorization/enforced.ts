import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';

/** Whether a policy decides: one that is only tried out is counted, and refuses nobody. */
export function isEnforced({ annotations }: AuthorizationPolicy): boolean {
  return annotations['mesh.io/dry-run'] !== 'true';
}
