import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { type AdminClient, type ConfigState, readVersions, readWarming } from '../../envoy/admin.ts';
import { delay } from '../../lib/abort.ts';
import { routeNamesOf } from './proxy-files.ts';

/** Versions that Envoy has to show; an absent part is not waited for. */
export interface ExpectedVersions {
  readonly clusters?: string;
  readonly listeners?: string;
  /** Route configuration name to version. */
  readonly routes?: ReadonlyMap<string, string>;
}

/** How a wait for versions ended. */
export type InForce =
  | { readonly isInForce: true }
  | { readonly isInForce: false; readonly missing: readonly string[]; readonly isRefused: boolean };

/** How often Envoy is asked: at first, and at last, when it waits for something that does not come, an authority say. */
const pollMs = { first: 5, last: 250 };
/** How long the worker threads have until the second look. */
const settledMs = 15;
/** What Envoy has refused is asked for less often: going through its counters takes it longer. */
const refusalsMs = 100;

/** What `files` are when all of them are in force. */
export function expectedVersions(files: ProxyFiles): Required<ExpectedVersions> {
  return {
    clusters: files.clusters.version,
    listeners: files.listeners.version,
    routes: routeVersions(files, routeNamesOf(files.listeners.resources)),
  };
}

/** Versions of the route files that `names` ask for. */
export function routeVersions(files: ProxyFiles, names: readonly string[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const { version, resources } of files.routes.values()) {
    for (const { name } of resources) versions.set(name, version);
  }
  return new Map(names.flatMap((name) => (versions.has(name) ? [[name, versions.get(name) ?? '']] : [])));
}

/**
 * Waits until Envoy shows the expected versions and nothing warms. Ends early when Envoy refuses an update after
 * `refusalsBefore`, or when the signal fires; `timeoutMs` bounds it.
 */
export async function waitInForce(
  admin: AdminClient,
  expected: ExpectedVersions,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly refusalsBefore: number },
): Promise<InForce> {
  const startedAt = performance.now();
  const deadline = startedAt + options.timeoutMs;
  let refusalsAtMs = startedAt;
  for (let seen = 0; ; ) {
    const askedAt = performance.now();
    const missing = await missingNow(admin, expected);
    const now = performance.now();
    seen = missing.length === 0 ? seen + 1 : 0;
    // Twice in a row: the worker threads take a change over a moment after the main thread shows its version.
    if (seen === 2) return { isInForce: true };
    const isOver = now > deadline || options.signal.aborted;
    if (missing.length > 0 && (isOver || now - refusalsAtMs >= refusalsMs)) {
      refusalsAtMs = now;
      const isRefused = (await readRefusals(admin).catch(() => 0)) > options.refusalsBefore;
      if (isRefused || isOver) return { isInForce: false, missing, isRefused };
    }
    // The thread that answers is the one that takes the change over: it answers for half of its time at most.
    const pauseMs = Math.min(Math.max(pollMs.first, (now - startedAt) / 100, now - askedAt), pollMs.last);
    await (seen > 0 ? delay(settledMs) : delay(pauseMs, options.signal));
  }
}

async function missingNow(admin: AdminClient, expected: ExpectedVersions): Promise<readonly string[]> {
  try {
    const versions = await readVersions(admin);
    const missing = missingVersions(expected, { versions, warmingListeners: 0, warmingClusters: 0 });
    return missing.length > 0 ? missing : missingVersions(expected, { versions, ...(await readWarming(admin)) });
  } catch (error) {
    // Not yet there, or no longer: the deadline, or Envoy's exit, ends the wait.
    return [(error as Error).message];
  }
}

/** Updates of any type that Envoy rejected or could not read since it started. */
export async function readRefusals(admin: AdminClient): Promise<number> {
  const filter = '\\.(cds|lds|rds\\..*)\\.update_(rejected|failure)$';
  const { body } = await admin.get(`/stats?type=Counters&filter=${encodeURIComponent(filter)}`);
  return [...body.matchAll(/: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What is not as expected, one text each; empty when all is in force. */
export function missingVersions(expected: ExpectedVersions, observed: ConfigState): readonly string[] {
  const missing: string[] = [];
  const check = (what: string, wanted: string | undefined, shown: string | undefined): void => {
    if (wanted !== undefined && wanted !== shown)
      missing.push(`${what}: version ${shown || 'none'}, expected ${wanted}`);
  };
  check('clusters', expected.clusters, observed.versions.get('cluster_manager.cds.version_text'));
  check('listeners', expected.listeners, observed.versions.get('listener_manager.lds.version_text'));
  for (const [name, version] of expected.routes ?? []) {
    const suffix = `.rds.${statName(name)}.version_text`;
    const shown = [...observed.versions].filter(([stat]) => stat.endsWith(suffix)).map(([, text]) => text);
    check(`route ${name}`, version, shown.find((text) => text !== version) ?? shown[0]);
  }
  const warming = observed.warmingListeners + observed.warmingClusters;
  if (missing.length === 0 && warming > 0) missing.push(`${warming} listeners or clusters are warming`);
  return missing;
}

/** Envoy's own cleaning of names in statistics: a colon would end the name in some sinks (sanitizeStatsName). */
function statName(name: string): string {
  return name.replaceAll('://', '_').replaceAll(':/', '_').replaceAll(':', '_');
}
