import type { KeySetObserver, KeySetSource } from '../../jwks/key-set.ts';
import { createKeySetResolver, type KeySetResolver } from '../../jwks/resolve.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { TokenKey, TokenKeys } from './token.ts';
import { parseKeySet } from './token-keys.ts';

/** Servers that keys of tokens may come from. */
export interface IssuerTrust {
  /** Hosts, in addition to the issuer's own, that may have private addresses. */
  readonly allowedHosts: readonly string[];
  /** PEM certificates that are trusted in addition to Node's. */
  readonly roots: string | undefined;
}

export interface TokenIssuerOptions extends IssuerTrust {
  /** URL, as tokens name it in `iss`. */
  readonly issuer: string;
  readonly log: PlainLog;
}

/** An issuer whose keys are fetched. */
export interface TokenIssuer extends TokenKeys {
  /** Changes the trust for fetching keys; keys that were fetched before are used until new ones arrive. */
  trust(change: Partial<IssuerTrust>): void;
}

/** Shortest time between two fetches that tokens with unknown key ids cause. */
const lookAgainMs = 10_000;

/**
 * Fetches the keys of an issuer by OpenID Connect Discovery, again every 20 minutes, and when a token names an unknown key.
 * While the issuer can't be reached, the last valid keys are used.
 */
export function openTokenIssuer({ issuer, log, ...first }: TokenIssuerOptions): TokenIssuer {
  const source: KeySetSource = { issuer };
  let trusted: IssuerTrust = first;
  const open = (): KeySetResolver => {
    const resolver = createKeySetResolver({
      observer: observe(log),
      // Whoever starts us has named it: it is not a policy that leads us to a private address.
      allowedHosts: [...trusted.allowedHosts, hostOf(issuer)],
      extraRoots: trusted.roots,
    });
    resolver.retain([source]);
    return resolver;
  };
  let resolver = open();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  // Making key objects costs more than a request that needs them.
  let parsed: { readonly digest: string; readonly keys: readonly TokenKey[] } | undefined;
  const look = async (): Promise<void> => {
    const fresh = open();
    const { keySet } = await fresh.get(source);
    const [kept, dropped] = keySet === undefined ? [resolver, fresh] : [fresh, resolver];
    resolver = kept;
    dropped.close();
  };
  return {
    issuer,
    keys: async (refresh) => {
      if (refresh && performance.now() - lookedAtMs >= lookAgainMs) {
        lookedAtMs = performance.now();
        looking = look();
      }
      if (refresh) await looking;
      const { keySet } = await resolver.get(source);
      if (keySet === undefined) return [];
      if (parsed?.digest !== keySet.digest) parsed = { digest: keySet.digest, keys: parseKeySet(keySet.text) };
      return parsed.keys;
    },
    trust: (change) => {
      const next = { ...trusted, ...change };
      if (JSON.stringify(next) === JSON.stringify(trusted)) return;
      trusted = next;
      looking = look();
    },
    close: () => resolver.close(),
  };
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).hostname : '';
}

function observe(log: PlainLog): KeySetObserver {
  const nothing = (): void => undefined;
  return {
    onRequest: nothing,
    onRetry: nothing,
    onDownload: nothing,
    onRequestEnd: nothing,
    onChange: ({ issuer }, { keySet }) => {
      if (keySet !== undefined) log.info('keys of tokens', { issuer, digest: keySet.digest });
    },
    onFault: ({ issuer }, { message }) => log.warn('the keys of tokens cannot be fetched', { issuer, reason: message }),
  };
}
