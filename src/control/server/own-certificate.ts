import { isIP } from 'node:net';
import type { ReadClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { CertificateAuthority } from '../ca/authority.ts';
import type { SubjectName } from '../ca/extensions.ts';
import { issuePair } from '../ca/issue-pair.ts';
import { parseAddress } from './address.ts';
import type { ServerPair } from './server-pair.ts';

export interface OwnNames {
  /** MESHD_ADDR: `host:port` or a host. */
  readonly address: string;
  /** MESHD_CUSTOM_HOST, several with commas between them. */
  readonly customHosts: string;
  /** NAMESPACE. */
  readonly namespace: string;
}

/** Host names of the control plane, without duplicates; Istio's agents use its own names. */
export function ownNames({ address, customHosts, namespace }: OwnNames): readonly string[] {
  const host = parseAddress(address)?.host ?? address;
  const services = ['meshd', 'istiod', 'istiod-remote', 'istio-pilot'].map((name) => `${name}.${namespace}.svc`);
  const names = [host, ...customHosts.split(',').map((name) => name.trim()), ...services];
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Whether a server certificate may have this name: an address or a DNS name (RFC 1123). */
export function isServerName(name: string): boolean {
  return (
    isIP(name) !== 0 ||
    (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(name) && name.length < 254)
  );
}

const lifetimeMs = 365 * 86_400_000;

/** Signs a server certificate with a new key for the control plane, valid for a year, or as long as the CA. */
export async function issueOwn(authority: CertificateAuthority, names: readonly string[]): Promise<ServerPair> {
  return await issuePair(authority, {
    names: names.map((name): SubjectName => (isIP(name) === 0 ? { dns: name } : { ip: name })),
    lifetimeMs,
    usages: ['server'],
  });
}

export interface OwnCertificateOptions {
  readonly authority: CertificateAuthority;
  readonly names: readonly string[];
  readonly clock: ReadClock;
  readonly log: PlainLog;
  /** Called with the first pair and with each after it. */
  readonly use: (pair: ServerPair) => Promise<void>;
  /** Between two looks at the clock; 30 s by default. */
  readonly lookMs?: number;
}

/** Timers know nothing of a clock that jumps, or of a machine that slept: one looks. */
const usualLookMs = 30_000;
const failedLookMs = 5_000;

/** Keeps the control plane's certificate valid: renews it at half of its lifetime, and when the CA changes. */
export async function keepOwnCertificate(options: OwnCertificateOptions): Promise<{ close(): void }> {
  const { authority, names, clock, log, use, lookMs = usualLookMs } = options;
  let pair = await issueOwn(authority, names);
  await use(pair);
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const look = async (): Promise<void> => {
    let waitMs = lookMs;
    if (isStale || clock() >= pair.notBeforeMs + (pair.notAfterMs - pair.notBeforeMs) / 2) {
      isStale = false;
      try {
        pair = await issueOwn(authority, names);
        await use(pair);
        log.info('the server certificate was renewed', { notAfter: new Date(pair.notAfterMs).toISOString() });
      } catch (error) {
        isStale = true;
        waitMs = failedLookMs;
        log.error('the server certificate could not be renewed', { reason: (error as Error).message });
      }
    }
    if (!isOpen) return;
    timer = setTimeout(next, waitMs);
  };
  let looking = Promise.resolve();
  const next = (): void => {
    clearTimeout(timer);
    looking = looking.then(look);
  };
  timer = setTimeout(next, lookMs);
  authority.onChange(() => {
    isStale = true;
    if (isOpen) next();
  });
  return {
    close: () => {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}
