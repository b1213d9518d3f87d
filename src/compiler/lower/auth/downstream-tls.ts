import type { Settings } from '../../../config/settings.ts';
import type { Origins } from '../../ir/origin.ts';
import type { DownstreamMeshTls } from '../../ir/tls.ts';
import { trustDomainPrefix } from '../names.ts';

/** Mutual TLS of an inbound chain. A chain that carries bytes offers no ALPN: an ordinary client would choose h2. */
export function downstreamMeshTls(settings: Settings, carries: 'http' | 'tcp', origins: Origins): DownstreamMeshTls {
  const trustDomains = settings.skipValidateTrustDomain ? [] : meshTrustDomains(settings);
  return {
    kind: 'mesh',
    alpn: carries === 'http' ? ['h2', 'http/1.1'] : [],
    peerSans: trustDomains.map((trustDomain) => ({ kind: 'prefix', value: trustDomainPrefix(trustDomain) })),
    origins,
  };
}

/** The local trust domain first, then its aliases, each once. */
export function meshTrustDomains(settings: Pick<Settings, 'trustDomain' | 'trustDomainAliases'>): readonly string[] {
  return [...new Set([settings.trustDomain, ...settings.trustDomainAliases])];
}
