import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../agent/log/log.ts';
import type { AgentSettings, AuthoritySettings } from '../../config/agent-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { type AuthorityOptions, isPlaintext } from '../../identity/authority.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** Where the platform puts what a workload needs, relative to the working directory but for the platform's own paths. */
const paths = {
  meshRoot: './var/run/secrets/mesh/root-cert.pem',
  platformRoot: './var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
  customRoot: './etc/certs/root-cert.pem',
  meshToken: './var/run/secrets/tokens/mesh-token',
  platformToken: '/var/run/secrets/kubernetes.io/serviceaccount/token',
} as const;

/** Names of the CA that this agent speaks with: ours, and what Istio calls its own. */
const ownProviders: ReadonlySet<string> = new Set(['', 'BuiltinCA', 'Citadel']);

/** A second passes between two certificates at the least, and an attempt may take a few. */
const shortestLifetimeMs = 10_000;
/** MAX_WORKLOAD_CERT_TTL of ours and of Istio. */
const longestLifetimeMs = 90 * 86_400_000;

/** Whose certificate is signed, and where the configuration comes from. */
export interface AuthorityPlace {
  readonly namespace: string;
  /** Undefined: it is compiled here. */
  readonly discoveryAddress: string | undefined;
}

/**
 * The CA that signs the workload's certificate; undefined when none is named. CA_ADDR names it, else the
 * discovery address where somebody set one, or the configuration comes from there; with PROV_CERT and without CA_ADDR the files of PROV_CERT are the identity.
 */
export function authorityOf(
  agent: AgentSettings,
  settings: Settings,
  { namespace, discoveryAddress }: AuthorityPlace,
  log: Pick<Log, 'warn'>,
): AuthorityOptions | undefined {
  const { authority, certificates } = agent;
  const address = addressOf(agent, settings, discoveryAddress);
  if (address === undefined) return undefined;
  checkProvider(authority, address);
  if (isPlaintext(address)) log.warn('requests for certificates are not encrypted: the network must be', { address });
  if (authority.tokenPolicy === 'first-party-jwt') {
    log.warn('JWT_POLICY first-party-jwt: a token without audience and expiry; third-party-jwt is safer');
  }
  warnOfLifetime(certificates.lifetimeMs, log);
  return {
    address,
    ...rootOf(authority, certificates.provisionedFolder),
    tokenPath: tokenPathOf(authority),
    provisionedFolder: certificates.provisionedFolder,
    clusterId: authority.clusterId,
    names: { trustDomain: settings.trustDomain, namespace, serviceAccount: agent.serviceAccount },
    keyAlgorithm: certificates.keyAlgorithm,
    isPkcs8: certificates.isPkcs8,
    lifetimeMs: certificates.lifetimeMs,
    graceRatio: certificates.graceRatio,
    checkIntervalMs: certificates.checkIntervalMs,
    initialBackoffMs: authority.initialBackoffMs,
  };
}

function warnOfLifetime(lifetimeMs: number, log: Pick<Log, 'warn'>): void {
  if (lifetimeMs < shortestLifetimeMs) {
    log.warn('SECRET_TTL is shorter than 10 s: a certificate may end before the next one is there', { lifetimeMs });
  }
  if (lifetimeMs > longestLifetimeMs) {
    log.warn('SECRET_TTL is longer than 90 days, which an authority refuses unless it is told otherwise', {
      lifetimeMs,
    });
  }
}

function addressOf(
  { authority, certificates }: AgentSettings,
  { proxy, origins }: Settings,
  discoveryAddress: string | undefined,
): string | undefined {
  if (authority.address !== undefined) return authority.address;
  const isSet =
    discoveryAddress !== undefined || (origins['proxy.discoveryAddress']?.source ?? 'default') !== 'default';
  if (certificates.provisionedFolder !== undefined || !isSet) return undefined;
  return proxy.discoveryAddress === '' ? undefined : proxy.discoveryAddress;
}

function checkProvider({ provider }: AuthoritySettings, address: string): void {
  if (!ownProviders.has(provider)) {
    throw new UsageError(`CA_PROVIDER "${provider}" is not supported: BuiltinCA, the authority of the mesh, is`);
  }
  if (/\.googleapis\.com(:|$)/.test(address)) {
    throw new UsageError(`CA_ADDR "${address}" is a cloud's authority, which is not supported: BuiltinCA is`);
  }
}

/** PILOT_CERT_PROVIDER names the file; a root beside the provisioned pair takes the place of the mesh's. */
export function rootOf(
  { certificateProvider }: AuthoritySettings,
  folder: string | undefined,
): Pick<AuthorityOptions, 'rootPath' | 'isMeshRoot'> {
  if (certificateProvider === 'kubernetes') return { rootPath: paths.platformRoot, isMeshRoot: false };
  if (certificateProvider === 'custom') return { rootPath: paths.customRoot, isMeshRoot: false };
  const provisioned = folder === undefined ? undefined : join(folder, 'root-cert.pem');
  if (provisioned !== undefined && existsSync(provisioned)) return { rootPath: provisioned, isMeshRoot: true };
  return { rootPath: paths.meshRoot, isMeshRoot: true };
}

function tokenPathOf({ tokenPolicy }: AuthoritySettings): string | undefined {
  if (tokenPolicy === 'none') return undefined;
  return tokenPolicy === 'first-party-jwt' ? paths.platformToken : paths.meshToken;
}
