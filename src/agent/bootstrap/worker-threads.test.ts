import { describe, expect, test } from 'vitest';
import { type ThreadSources, workerThreads } from './worker-threads.ts';

describe('workerThreads', () => {
  const nothing: ThreadSources = {
    configured: undefined,
    cpuLimit: undefined,
    containerCpus: undefined,
    processors: 8,
  };
  test.each<[string, Partial<ThreadSources>, number]>([
    ['one a processor where nothing says otherwise', {}, 8],
    ['the configured number before every limit', { configured: 3, cpuLimit: 1, containerCpus: 1 }, 3],
    ['all processors for a configured 0, whatever the limits', { configured: 0, cpuLimit: 1, containerCpus: 1 }, 8],
    ['MESH_CPU_LIMIT before the limit of the container', { cpuLimit: 2, containerCpus: 1 }, 2],
    ['the limit of the container, rounded up', { containerCpus: 1.1 }, 2],
    ['at least one thread for a part of a processor', { containerCpus: 0.1 }, 1],
    ['no more than the processors for a generous container', { containerCpus: 64 }, 8],
  ])('takes %s', (_, sources, expected) => {
    expect(workerThreads({ ...nothing, ...sources })).toBe(expected);
  });
});
