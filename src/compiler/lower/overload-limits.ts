import type { OverloadIR } from '../ir/proxy.ts';

/** Well above what one workload serves: a guard against running out of descriptors, not a policy. */
const mostConnections = 500_000;

/** What the agent and everything that Envoy keeps outside of its heap get: at most a quarter of a small container. */
const besideHeapBytes = 128 * 2 ** 20;

/** An open connection with its buffers and TLS state needs at least so much. */
const connectionBytes = 16 * 2 ** 10;

/** Of the open files: logs, admin, discovery, what each worker thread keeps open. */
const descriptorsBeside = 256;

/** So many requests may wait for a connection at the least: as many as in Envoy by itself. */
const leastWaiting = 1024;

/** The limit on freed memory that Envoy keeps for itself is never below this: so little is no burden on a container. */
const lowestKeptLimitBytes = 32 * 2 ** 20;

/** What the machine lets Envoy use; undefined where nothing limits it. */
export interface MachineLimits {
  readonly memoryLimitBytes?: number | undefined;
  /** Open files of one process. */
  readonly descriptorLimit?: number | undefined;
}

/** Limits of Envoy on such a machine. Half of the descriptors are for connections to destinations. */
export function overloadLimits({ memoryLimitBytes, descriptorLimit }: MachineLimits = {}): OverloadIR {
  const maxHeapBytes =
    memoryLimitBytes === undefined
      ? undefined
      : Math.floor(memoryLimitBytes - Math.min(besideHeapBytes, memoryLimitBytes / 4));
  const fitting = [(maxHeapBytes ?? Infinity) / connectionBytes, descriptorsOfOneSide(descriptorLimit)];
  return {
    maxConnections: Math.max(1, Math.floor(Math.min(mostConnections, ...fitting))),
    maxHeapBytes,
    keptHeapBytes:
      maxHeapBytes === undefined ? undefined : Math.max(lowestKeptLimitBytes, Math.floor(maxHeapBytes / 3)),
  };
}

/** Of one destination that no rule says otherwise of; both absent where the machine is not known. */
export interface DestinationLimits {
  readonly connections?: number;
  /** Requests that wait for a connection. */
  readonly waiting?: number;
}

/**
 * No destination takes the descriptors that clients, other destinations and the agent's probes need: without any left
 * Envoy answers nobody. What waits beyond that is answered 503.
 */
export function destinationLimits({ descriptorLimit }: MachineLimits = {}): DestinationLimits {
  if (descriptorLimit === undefined) return {};
  const connections = Math.max(1, Math.floor(descriptorsOfOneSide(descriptorLimit)));
  return { connections, waiting: Math.max(leastWaiting, Math.floor(connections / 8)) };
}

/** Connections of clients, or those to destinations. */
function descriptorsOfOneSide(limit = Infinity): number {
  return (limit - Math.min(descriptorsBeside, limit / 4)) / 2;
}
