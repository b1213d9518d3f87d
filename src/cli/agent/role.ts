import type { AgentConfig } from '../../agent/agent-config.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { didYouMean } from './values.ts';

const roles: readonly string[] = ['sidecar', 'router'] satisfies readonly AgentConfig['role'][];

/** Throws a UsageError unless the role is one of the specification. */
export function checkRole(role: string): asserts role is AgentConfig['role'] {
  if (roles.includes(role)) return;
  throw new UsageError(`the role is "sidecar" or "router", not "${role}"${didYouMean(role, roles)}`);
}
