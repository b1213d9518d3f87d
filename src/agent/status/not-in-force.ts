/** Envoy's statistics that tell how far its first configuration has come. */
export const progressStats =
  '^(cluster_manager\\.cds|listener_manager\\.lds|http\\..*\\.rds\\..*)\\.update_(success|rejected)$' +
  '|^(cluster_manager\\.warming_clusters|listener_manager\\.(total_listeners_warming|workers_started))$';

/**
 * Which of clusters, listeners and routes Envoy lacks, and whether it refused what came; `stats` are lines of `name: value`.
 * A part of an update may be refused while the rest is taken, so a refusal counts whatever else is there.
 */
export function whyNotInForce(stats: string): string {
  const values = new Map(
    [...stats.matchAll(/^(.+): (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)] as const),
  );
  const parts = [
    subscription('clusters', 'cluster_manager.cds', values),
    subscription('listeners', 'listener_manager.lds', values),
    ...routes(values),
  ].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join('; ');
  const warming =
    (values.get('cluster_manager.warming_clusters') ?? 0) +
    (values.get('listener_manager.total_listeners_warming') ?? 0);
  if (warming > 0) return `${warming} clusters or listeners are warming`;
  if (values.get('listener_manager.workers_started') === 0) return 'the worker threads of Envoy have not started';
  return 'not every version is in force yet';
}

type Values = ReadonlyMap<string, number>;

function subscription(what: string, stat: string, values: Values): string | undefined {
  const refused = values.get(`${stat}.update_rejected`) ?? 0;
  if (refused > 0) return `${what}: Envoy refused ${refused} ${refused === 1 ? 'update' : 'updates'}`;
  return (values.get(`${stat}.update_success`) ?? 0) === 0 ? `${what}: Envoy has none yet` : undefined;
}

function routes(values: Values): (string | undefined)[] {
  const names = new Set(
    [...values.keys()].flatMap((name) => /^(http\..*\.rds\.(.*))\.update_\w+$/.exec(name)?.[1] ?? []),
  );
  const reasons = [...names]
    .sort()
    .map((stat) => subscription(`route ${stat.replace(/^.*\.rds\./, '')}`, stat, values))
    .filter((reason) => reason !== undefined);
  return reasons.length > 3 ? [...reasons.slice(0, 3), `and ${reasons.length - 3} more routes`] : reasons;
}
