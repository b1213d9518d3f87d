import { readFile } from 'node:fs/promises';
import { delay } from '../lib/abort.ts';
import type { LogEntry } from './access-logs.ts';
import type { GaugeAnswer } from './gauge-case.ts';
import { groups } from './groups.ts';
import type { Sent } from './send.ts';

/** The lines of the log that are whole. */
export async function readLog(path: string): Promise<readonly LogEntry[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogEntry]));
}

/** Until the log tells of the end of each connection that was not refused; a minute at most. */
export async function untilLogged(
  { cases, connections }: Sent,
  path: string,
  endsOf: (entry: LogEntry) => string,
): Promise<void> {
  const refused = new Set(cases.flatMap(({ connection, ending }) => (ending === 'ECONNREFUSED' ? [connection] : [])));
  const opened = connections.filter((_, i) => !refused.has(i));
  const wanted = new Set(opened);
  const isWhole = async (): Promise<boolean> => {
    const ended = (await readLog(path)).filter((entry) => entry.kind === 'connection' && wanted.has(endsOf(entry)));
    return ended.length >= opened.length;
  };
  for (let tries = 0; tries < 600 && !(await isWhole()); tries++) await delay(100);
}

/**
 * What became of each case, in the order of the cases. Entries of one connection stand in the log in the order in which they
 * were sent, or ended.
 */
export function join(
  { cases, connections }: Sent,
  log: readonly LogEntry[],
  endsOf: (entry: LogEntry) => string,
): readonly GaugeAnswer[] {
  const ofKind = (kind: string): Map<string, LogEntry[]> =>
    groups(
      log.filter((entry) => entry.kind === kind),
      endsOf,
    );
  const [requests, ended] = [ofKind('request'), ofKind('connection')];
  const entries = connections.map((ends) => ended.get(ends)?.shift() ?? {});
  return cases.map(({ connection, opener, status, ...told }) => {
    const own = requests.get(connections[connection] ?? '');
    const entry = (status === 0 ? undefined : own?.shift()) ?? entries[connection] ?? {};
    const text = (key: string): string => String(entry[key] ?? '');
    const rule = text('rule');
    return {
      status,
      opener,
      ...told,
      details: text('details'),
      chain: text('chain'),
      route: text('route'),
      cluster: text('cluster'),
      ...(rule !== '' && { rule }),
    };
  });
}
