import { delay } from '../lib/abort.ts';
import type { EnvoyAdmin } from './envoy-seam.ts';
import { nameOf, type ProxyFiles, parseResourceFile, routeNamesOf } from './proxy-files.ts';

/** Versions that Envoy has to show; an absent part is not waited for. */
export interface ExpectedVersions {
  readonly clusters?: string;
  readonly listeners?: string;
  /** Route configuration name to version. */
  readonly routes?: ReadonlyMap<string, string>;
}

/** What Envoy shows of its configuration. */
export interface ObservedVersions {
  readonly clusters: string | undefined;
  readonly listeners: string | undefined;
  /** Version texts of route configurations by statistic name, one for each listener's prefix. */
  readonly routes: ReadonlyMap<string, string>;
  readonly warming: number;
  /** Updates that Envoy rejected or could not read, of any type, since it started. */
  readonly refusals: number;
}

/** How a wait for versions ended. */
export type InForce =
  | { readonly isInForce: true }
  | { readonly isInForce: false; readonly missing: readonly string[]; readonly isRefused: boolean };

const pollMs = 15;

/** What `files` are when all of them are in force. */
export function expectedVersions(files: ProxyFiles): Required<ExpectedVersions> {
  return {
    clusters: parseResourceFile(files.clusters).version_info,
    listeners: parseResourceFile(files.listeners).version_info,
    routes: routeVersions(files, routeNamesOf(files.listeners)),
  };
}

/** Versions of the route files that `names` ask for. */
export function routeVersions(files: ProxyFiles, names: readonly string[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const text of files.routes.values()) {
    const { version_info, resources } = parseResourceFile(text);
    for (const resource of resources) versions.set(nameOf(resource), version_info);
  }
  return new Map(names.flatMap((name) => (versions.has(name) ? [[name, versions.get(name) ?? '']] : [])));
}

/**
 * Waits until Envoy shows the expected versions and nothing warms. Ends early when Envoy refuses an update after
 * `refusalsBefore`, or when the signal fires; `timeoutMs` bounds it.
 */
export async function waitInForce(
  admin: EnvoyAdmin,
  expected: ExpectedVersions,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly refusalsBefore: number },
): Promise<InForce> {
  const deadline = performance.now() + options.timeoutMs;
  let seen = 0;
  for (;;) {
    const observed = await observeVersions(admin).catch(() => undefined);
    const missing =
      observed === undefined ? ["Envoy's admin port does not answer"] : missingVersions(expected, observed);
    // Twice in a row: the worker threads take a change over a moment after the main thread shows its version.
    if (missing.length === 0 && ++seen === 2) return { isInForce: true };
    if (missing.length > 0) seen = 0;
    const isRefused = (observed?.refusals ?? 0) > options.refusalsBefore;
    if (missing.length > 0 && (isRefused || performance.now() > deadline || options.signal?.aborted)) {
      return { isInForce: false, missing, isRefused };
    }
    await delay(pollMs, options.signal);
    if (options.signal?.aborted && missing.length === 0) return { isInForce: true };
  }
}

/** Reads version texts, warming counts and refusals in one request. */
export async function observeVersions(admin: EnvoyAdmin): Promise<ObservedVersions> {
  const filter = '(version_text|warming|warming_clusters|update_rejected|update_failure)$';
  const { body, status } = await admin.get(`/stats?filter=${encodeURIComponent(filter)}`);
  if (status !== 200) throw new Error(`the admin port answers ${status}`);
  return parseVersions(body);
}

/** Parses the text form of `/stats`: `name: 1` and `name: "text"`. */
export function parseVersions(text: string): ObservedVersions {
  const texts = new Map<string, string>();
  let warming = 0;
  let refusals = 0;
  for (const line of text.split('\n')) {
    const at = line.indexOf(': ');
    const name = line.slice(0, at);
    const value = line.slice(at + 2);
    if (name.endsWith('version_text')) texts.set(name, value.replace(/^"(.*)"$/, '$1'));
    else if (name.endsWith('warming') || name.endsWith('warming_clusters')) warming += Number(value);
    else if (/\.(cds|lds|rds\..*)\.update_(rejected|failure)$/.test(name)) refusals += Number(value);
  }
  return {
    clusters: texts.get('cluster_manager.cds.version_text'),
    listeners: texts.get('listener_manager.lds.version_text'),
    routes: new Map([...texts].filter(([name]) => name.startsWith('http.') && name.includes('.rds.'))),
    warming,
    refusals,
  };
}

/** What is not as expected, one text each; empty when all is in force. */
export function missingVersions(expected: ExpectedVersions, observed: ObservedVersions): readonly string[] {
  const missing: string[] = [];
  const check = (what: string, wanted: string | undefined, shown: string | undefined): void => {
    if (wanted !== undefined && wanted !== shown)
      missing.push(`${what}: version ${shown || 'none'}, expected ${wanted}`);
  };
  check('clusters', expected.clusters, observed.clusters);
  check('listeners', expected.listeners, observed.listeners);
  for (const [name, version] of expected.routes ?? []) {
    const suffix = `.rds.${statName(name)}.version_text`;
    const shown = [...observed.routes].filter(([stat]) => stat.endsWith(suffix)).map(([, text]) => text);
    check(`route ${name}`, version, shown.find((text) => text !== version) ?? shown[0]);
  }
  if (missing.length === 0 && observed.warming > 0)
    missing.push(`${observed.warming} listeners or clusters are warming`);
  return missing;
}

/** Envoy's own cleaning of names in statistics: a colon would end the name in some sinks (sanitizeStatsName). */
function statName(name: string): string {
  return name.replaceAll('://', '_').replaceAll(':/', '_').replaceAll(':', '_');
}
