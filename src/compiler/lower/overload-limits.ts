import type { OverloadIR } from '../ir/proxy.ts';
import type { Workload } from '../topology/model.ts';

/** Well above what one workload serves: a guard against running out of descriptors, not a policy. */
const mostConnections = 500_000;

/** What the agent and everything that Envoy keeps outside of its heap get: at most a quarter of a small container. */
const besideHeapBytes = 128 * 2 ** 20;

/** An open connection with its buffers and TLS state needs at least so much. */
const connectionBytes = 16 * 2 ** 10;

/** What the machine lets Envoy use; undefined where nothing limits it. */
export interface MachineLimits {
  readonly memoryLimitBytes?: number | undefined;
  /** Open files of one process. */
  readonly descriptorLimit?: number | undefined;
}

/** Limits of Envoy on such a machine. Half of the descriptors are for connections to destinations, for files and events. */
export function overloadLimits(
  role: Workload['role'],
  { memoryLimitBytes, descriptorLimit }: MachineLimits = {},
): OverloadIR {
  const maxHeapBytes =
    memoryLimitBytes === undefined
      ? undefined
      : Math.floor(memoryLimitBytes - Math.min(besideHeapBytes, memoryLimitBytes / 4));
  const fitting = [(maxHeapBytes ?? Infinity) / connectionBytes, (descriptorLimit ?? Infinity) / 2];
  return {
    maxConnections: Math.max(1, Math.floor(Math.min(mostConnections, ...fitting))),
    maxHeapBytes,
    // Clients of a gateway are strangers: the 100th request of one is not before the first of another.
    requestsInTurn: role === 'router',
  };
}
