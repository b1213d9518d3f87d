import { describe, expect, test } from 'vitest';
import type { AdminClient, AdminResponse } from '../../envoy/admin.ts';
import type { Json } from '../../envoy/api/resource-file.ts';
import { blockedWorkers } from './blocked-workers.ts';

const answer = (body: string): Promise<AdminResponse> => Promise.resolve({ status: 200, body });

/** An Envoy that says how long it runs, and since when its statistics stand still; undefined: it does not say. */
function played(nowSeconds: number | undefined, writtenSeconds: number | undefined): AdminClient {
  const info = nowSeconds === undefined ? '{}' : JSON.stringify({ uptime_all_epochs: `${nowSeconds}s` }, null, 1);
  const gauges = writtenSeconds === undefined ? '' : `server.uptime: ${writtenSeconds}\n`;
  return {
    get: (path) => answer(path === '/server_info' ? info : `a.uptime: 1\n${gauges}`),
    post: () => Promise.reject(new Error('nothing is changed')),
  };
}

describe('blockedWorkers', () => {
  const blocked = (seconds: number): string => `a worker thread of Envoy has been blocked for ${seconds} s or more`;

  test.each<[string, Json, number | undefined, number | undefined, string | undefined]>([
    ['statistics that are as old as they may be', {}, 115, 100, undefined],
    ['statistics that are a second older', {}, 116, 100, blocked(11)],
    ['seldom written statistics', { stats_flush_interval: '60s' }, 170, 100, undefined],
    ['seldom written statistics that are too old', { stats_flush_interval: '60s' }, 171, 100, blocked(11)],
    ['often written statistics', { stats_flush_interval: '0.5s' }, 111, 100, blocked(10)],
    ['statistics that are written when asked for', { stats_flush_on_admin: true }, 200, 100, undefined],
    [
      'statistics by an interval that is said to be the only way',
      { stats_flush_on_admin: false },
      200,
      100,
      blocked(95),
    ],
    ['an Envoy that does not say how long it runs', {}, undefined, 100, undefined],
    ['statistics without the figure', {}, 200, undefined, undefined],
  ])('judges %s', async (_name, settings, now, written, expected) => {
    expect(await blockedWorkers(played(now, written), settings, { timeoutMs: 1 })).toBe(expected);
  });

  test('waits the given number of seconds before it calls a worker blocked', async () => {
    const options = { timeoutMs: 1, patienceSeconds: 2 };
    expect(await blockedWorkers(played(107, 100), {}, options)).toBeUndefined();
    expect(await blockedWorkers(played(108, 100), {}, options)).toBe(blocked(3));
  });
});
