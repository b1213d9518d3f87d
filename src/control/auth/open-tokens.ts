import type { ReadClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { TokenConfig } from '../control-config.ts';
import { followIssuerRoots } from './issuer-roots.ts';
import type { TokenRules } from './token.ts';
import { openTokenIssuer, type TokenIssuer } from './token-issuer.ts';
import { openKeyFile } from './token-keys.ts';

interface Surroundings {
  readonly log: PlainLog;
  readonly clock: ReadClock;
  /** Resources to close at the end. */
  readonly open: { close(): unknown }[];
}

/** Rules for tokens, and the hosts that their keys may come from. */
export type OpenTokens = TokenRules & Pick<TokenIssuer, 'trust'>;

/** Opens the keys that verify tokens, from a file or from their issuer. Throws `ControlError` for an unusable file. */
export async function openTokens(config: TokenConfig, surroundings: Surroundings): Promise<OpenTokens> {
  const { log, clock, open } = surroundings;
  const { issuer, keyFile, audiences, isFirstParty } = config;
  const rules = { audiences, isFirstParty, clock };
  if (issuer === undefined) log.warn('the issuer of tokens is not looked at: whoever has a key of the file is one');
  if (keyFile !== undefined) {
    const source = await openKeyFile(keyFile, issuer, log);
    open.push(source);
    return { ...rules, source, trust: () => undefined };
  }
  if (isPlain(issuer)) log.warn('keys of tokens come over http: whoever is on the way can replace them');
  const source = await openIssuer(issuer ?? '', config, surroundings);
  return { ...rules, source, trust: source.trust };
}

async function openIssuer(issuer: string, config: TokenConfig, { log, open }: Surroundings): Promise<TokenIssuer> {
  const { allowedHosts, issuerRoots: roots, issuerRootsFile } = config;
  const source = openTokenIssuer({ issuer, allowedHosts, roots, log });
  open.push(source);
  if (issuerRootsFile !== undefined)
    open.push(await followIssuerRoots(issuerRootsFile, (changed) => source.trust({ roots: changed }), log));
  return source;
}

function isPlain(issuer = ''): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
