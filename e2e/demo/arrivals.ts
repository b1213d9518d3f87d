import { until } from '../../src/testbed/until.ts';

/** Asks meshd on its debug socket; undefined: no answer, or an error. */
export interface AsksMeshd {
  ask<T>(path: string): Promise<T | undefined>;
}

/** What meshd says of an object: `/debug/config_distribution`. */
export interface Distribution {
  readonly version: string;
  readonly proxies: readonly { readonly proxy: string; readonly acknowledged: Readonly<Record<string, string>> }[];
}

/** Milliseconds from a change until each proxy had acknowledged it, by `namespace/name`. */
export type Arrivals = ReadonlyMap<string, number>;

/** The version of an object (`<kind>/<namespace>/<name>`) in force; undefined: there is no such object. */
export async function versionOf({ ask }: AsksMeshd, object: string): Promise<string | undefined> {
  return (await ask<Distribution>(pathOf(object)))?.version;
}

/** Makes a change and waits until all `proxies` have another version of the object than `before`. */
export async function arrivalsOf(
  fleet: AsksMeshd,
  object: string,
  { before, proxies, change }: { before: string | undefined; proxies: number; change: () => Promise<void> },
): Promise<Arrivals> {
  const arrived = new Map<string, number>();
  const startedAt = performance.now();
  await change();
  const probe = async (): Promise<true | undefined> => {
    const answer = await fleet.ask<Distribution>(pathOf(object));
    if (answer === undefined || answer.version === before) return undefined;
    for (const { proxy, acknowledged } of answer.proxies) {
      const versions = Object.values(acknowledged);
      const hasAll = versions.length > 0 && versions.every((version) => version === answer.version);
      if (hasAll && !arrived.has(proxy)) arrived.set(proxy, Math.round(performance.now() - startedAt));
    }
    return arrived.size === proxies ? true : undefined;
  };
  const otherwise = async (): Promise<string> =>
    `${object} has reached ${[...arrived.keys()].join(', ') || 'no proxy'} in 20 s, expected ${proxies} proxies`;
  await until(probe, { timeoutMs: 90_000, everyMs: 20, otherwise });
  return arrived;
}

function pathOf(object: string): string {
  return `/debug/config_distribution?resource=${encodeURIComponent(object)}`;
}
