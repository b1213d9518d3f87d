import type { TokenProvider } from './lift/jwt.ts';
import type { LiftedProxy } from './lift-proxy.ts';
import type { World } from './world.ts';

/** Every token provider of these proxies, in any listener. */
export function* tokenProviders(proxies: Iterable<LiftedProxy>): Iterable<TokenProvider> {
  for (const { listeners } of proxies) {
    for (const { chains, defaultChain } of listeners.values()) {
      for (const chain of defaultChain === undefined ? chains : [...chains, defaultChain]) {
        for (const filter of chain.filters) {
          if (filter.kind !== 'http') continue;
          for (const one of filter.manager.filters) if (one.kind === 'jwt') yield* one.providers;
        }
      }
    }
  }
}

const byProxies = new WeakMap<World['proxies'], readonly TokenProvider[]>();

/** Each different place of tokens and key set that the providers of these proxies have, once; the proxies stay as they are. */
export function distinctProviders(proxies: World['proxies']): readonly TokenProvider[] {
  const known = byProxies.get(proxies);
  if (known !== undefined) return known;
  const all = [...tokenProviders(proxies.values())];
  const distinct = [
    ...new Map(
      all.map((one) => [JSON.stringify([one.headers, one.params, one.cookies, one.keySet]), one] as const),
    ).values(),
  ];
  byProxies.set(proxies, distinct);
  return distinct;
}
