// Preloaded into a program that is measured: tells on a Unix socket how long its main thread was busy, and its heap, to event-loop-probe.ts.
import { createServer } from 'node:http';
import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const { BENCH_PROBE } = process.env;
const tickMs = 5;

if (isMainThread && BENCH_PROBE !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let longestMs = 0;
  let busiestMs = 0;
  let at = performance.now();
  let used = threadMs();
  setInterval(() => {
    const [now, usedNow] = [performance.now(), threadMs()];
    longestMs = Math.max(longestMs, now - at - tickMs);
    busiestMs = Math.max(busiestMs, usedNow - used);
    at = now;
    used = usedNow;
  }, tickMs).unref();
  let inspector;
  const answers = {
    '/reset': () => {
      longestMs = 0;
      busiestMs = 0;
      return {};
    },
    '/stall': () => ({ longestMs, busiestMs }),
    '/heap': () => {
      for (let i = 0; i < 4; i += 1) collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      at = performance.now();
      used = threadMs();
      return { heapUsed, external, rss };
    },
    '/profile': () => {
      inspector = new Session();
      inspector.connect();
      inspector.post('Profiler.enable');
      inspector.post('Profiler.start');
      return {};
    },
    '/profiled': () => {
      let profile;
      inspector.post('Profiler.stop', (_error, result) => {
        profile = result.profile;
      });
      return profile;
    },
  };
  createServer((request, response) => response.end(JSON.stringify(answers[request.url]())))
    .listen(BENCH_PROBE)
    .unref();
}

/** Processor time of this thread; of a machine that is shared, the wall's time tells of others too. */
function threadMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
