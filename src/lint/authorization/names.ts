import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';

const refusal = /den(y|ied)|nothing|none|block|lock|isolat|quarantin|default|refus|reject|forbid|zero|maintenance/i;

/** Whether the name of a policy says that it refuses everything, so that its author meant it. */
export function saysToRefuse({ name }: AuthorizationPolicy): boolean {
  return refusal.test(name);
}
