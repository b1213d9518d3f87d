import { aborted } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { DistributionConfig } from '../control-config.ts';
import type { Replica } from '../leader/join-replicas.ts';
import type { Distribution } from '../push/distribution.ts';
import type { ControlMetrics } from '../server/metrics.ts';
import { FleetReach } from './fleet-reach.ts';
import { ReplicaReports } from './replica-reports.ts';
import { StatusWriter } from './status-writer.ts';

export interface StatusParts {
  readonly replica: Replica;
  readonly distribution: Pick<Distribution, 'tracker' | 'book' | 'supervisor'>;
  readonly log: PlainLog;
  readonly metrics: Pick<ControlMetrics, 'countStatusWrite'>;
}

/**
 * Starts writing the status of objects while this replica leads, and reporting to the leader which proxies have which inputs.
 * Without a configured status it does nothing.
 */
export function writeStatus(serving: DistributionConfig | undefined, parts: StatusParts): { close(): Promise<void> } {
  const { replica, log, metrics } = parts;
  const { tracker, book } = parts.distribution;
  const source = serving?.compile.source;
  const config = source?.type === 'cluster' ? source.status : undefined;
  if (config === undefined) return { close: async () => undefined };
  const { api, namespace, identity } = replica;
  const tracked =
    tracker && config.reconciliation
      ? { tracker, reports: new ReplicaReports({ api, namespace, identity, log }) }
      : undefined;
  const reach = tracked && new FleetReach(tracked.tracker, () => tracked.reports.others());
  const count = (isDone: boolean): void => metrics.countStatusWrite(isDone);
  const writer = new StatusWriter({ api, book, config, reach, log, count });
  replica.leadership.whileLeading('status', (term) => writer.run(term));
  if (config.analysis) {
    replica.leadership.whileLeading('lint', async ({ signal }) => {
      parts.distribution.supervisor.lint(true);
      await aborted(signal);
      parts.distribution.supervisor.lint(false);
    });
  }
  tracked?.reports.start(() => tracked.tracker.progress());
  return { close: async () => tracked?.reports.close() };
}
