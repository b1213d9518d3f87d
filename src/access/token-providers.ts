import type { TokenProvider } from './lift/jwt.ts';
import type { LiftedProxy } from './lift-proxy.ts';

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
