import type { AdminClient } from '../../envoy/admin.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { Json } from '../../envoy/api/resource-file.ts';

/** Envoy's default of `stats_flush_interval`. */
const usualFlushSeconds = 5;

export interface BlockedOptions {
  readonly timeoutMs: number;
  /** How long a worker thread may be busy with one thing. */
  readonly patienceSeconds?: number;
}

/**
 * Why no traffic should come, where a worker thread of Envoy has been busy with one thing for longer than 10 s: the main
 * thread, which answers for the proxy, goes on saying LIVE. Before Envoy writes its statistics, `server.uptime` among
 * them, it waits for each worker, so this figure stands still where one is blocked. Undefined where none is, and where
 * it cannot be told: the bootstrap lets statistics be written only when asked for, or the figure is not kept.
 */
export async function blockedWorkers(
  admin: AdminClient,
  bootstrap: Json,
  { timeoutMs, patienceSeconds = 10 }: BlockedOptions,
): Promise<string | undefined> {
  const settings = new Fragment(bootstrap);
  if (settings.at('stats_flush_on_admin').value === true) return undefined;
  const flushSeconds = Number.parseFloat(settings.at('stats_flush_interval').text ?? `${usualFlushSeconds}s`);
  // In this order: a write between the two makes the difference smaller, not larger.
  const info = new Fragment(JSON.parse((await admin.get('/server_info', { timeoutMs })).body));
  const now = info.at('uptime_all_epochs').text;
  const { body } = await admin.get('/stats?type=Gauges&filter=%5Eserver%5C.uptime%24', { timeoutMs });
  const written = /^server\.uptime: (\d+)$/m.exec(body)?.[1];
  if (now === undefined || written === undefined) return undefined;
  const seconds = Number.parseInt(now, 10) - Number(written) - flushSeconds;
  return seconds > patienceSeconds
    ? `a worker thread of Envoy has been blocked for ${Math.floor(seconds)} s or more`
    : undefined;
}
