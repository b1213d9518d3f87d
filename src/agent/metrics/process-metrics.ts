import { setImmediate as turn } from 'node:timers/promises';
import type { Meters } from './meters.ts';

/**
 * Gives a function that reads the agent's own memory, processor time and event loop, to be called before each scrape:
 * between scrapes nothing runs.
 */
export function processMetrics(meters: Meters): () => Promise<void> {
  let cpuSeconds = 0;
  let loop = performance.eventLoopUtilization();
  meters.set('mesh_agent_process_start_time_seconds', performance.timeOrigin / 1000);
  return async () => {
    const asked = performance.now();
    await turn();
    meters.set('mesh_agent_event_loop_lag_seconds', (performance.now() - asked) / 1000);
    const seen = performance.eventLoopUtilization();
    meters.set('mesh_agent_event_loop_utilization', performance.eventLoopUtilization(seen, loop).utilization);
    loop = seen;
    const { rss, heapUsed } = process.memoryUsage();
    meters.set('mesh_agent_process_resident_memory_bytes', rss);
    meters.set('mesh_agent_process_heap_bytes', heapUsed);
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    meters.count('mesh_agent_process_cpu_seconds_total', {}, Math.max(0, seconds - cpuSeconds));
    cpuSeconds = seconds;
  };
}
