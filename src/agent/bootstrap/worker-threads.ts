import { availableParallelism } from 'node:os';

/** Where the number of Envoy's worker threads may come from. */
export interface ThreadSources {
  /** Of the flag or the configuration: undefined says nothing, 0 is a thread a processor. */
  readonly configured: number | undefined;
  /** MESH_CPU_LIMIT in processors; undefined when it is not set. */
  readonly cpuLimit: number | undefined;
  /** Of the container, in processors. */
  readonly containerCpus: number | undefined;
  /** Processors that this process may run on. */
  readonly processors: number;
}

/**
 * Envoy's `--concurrency`, at least 1 and never left out: without it Envoy counts on its own, and 0 is 1 to it. A limit
 * is rounded up, so that what is left of a processor is used.
 */
export function workerThreads({ configured, cpuLimit, containerCpus, processors }: ThreadSources): number {
  if (configured !== undefined && configured > 0) return configured;
  if (configured === 0) return Math.max(1, processors);
  const limit = cpuLimit ?? containerCpus ?? processors;
  // A limit above what the machine has makes threads that wait for each other.
  return Math.max(1, cpuLimit === undefined ? Math.min(Math.ceil(limit), processors) : Math.ceil(limit));
}

/** The threads that a ProxyConfig of the inputs asks for, 0 being one a processor; where none does, `usual`. */
export function threadsOf(
  asked: number | undefined,
  usual: number | undefined,
  processors = availableParallelism(),
): number | undefined {
  return asked === 0 ? Math.max(1, processors) : (asked ?? usual);
}
