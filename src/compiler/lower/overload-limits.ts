import type { OverloadIR } from '../ir/proxy.ts';

/** Well above what one workload serves: a guard against running out of descriptors, not a policy. */
const mostConnections = 500_000;

/** What the agent and everything that Envoy keeps outside of its heap get: at most a quarter of a small container. */
const besideHeapBytes = 128 * 2 ** 20;

/** An open connection with its buffers and TLS state needs at least so much. */
const connectionBytes = 16 * 2 ** 10;

/** Limits of Envoy in a container that may use so much memory; undefined for a machine without a limit. */
export function overloadLimits(memoryLimitBytes: number | undefined): OverloadIR {
  if (memoryLimitBytes === undefined) return { maxConnections: mostConnections, maxHeapBytes: undefined };
  const maxHeapBytes = Math.floor(memoryLimitBytes - Math.min(besideHeapBytes, memoryLimitBytes / 4));
  const fitting = Math.max(1, Math.floor(maxHeapBytes / connectionBytes));
  return { maxConnections: Math.min(mostConnections, fitting), maxHeapBytes };
}
