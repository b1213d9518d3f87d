import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { parseTokenPolicy } from '../../config/token-policy.ts';
import { parseBoolean } from '../../config/variable.ts';
import { readIssuerRoots } from '../../control/auth/issuer-roots.ts';
import type { AuthorityConfig, TokenConfig } from '../../control/control-config.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';
import { variable } from './variable-values.ts';

/** What signs certificates, and whom it believes; `UsageError` for tokens that nothing could verify. */
export async function authorityOf(
  flags: ServeFlags,
  settings: Settings,
  environment: Environment,
): Promise<AuthorityConfig> {
  return {
    folder: flags.caFolder,
    keyAlgorithm: flags.caKeyAlgorithm,
    tokens: await tokensOf(flags, settings, environment),
    clusterIds: namesOfCluster(environment.CLUSTER_ID || 'Cluster'),
    takesOtherClusters: variable(environment, 'CENTRAL_ISTIOD', parseBoolean),
    reviews: flags.kubernetes === true ? reviewsOf(flags, environment) : undefined,
    limit: { requestsPerSecond: flags.csrRate, burst: flags.csrBurst },
  };
}

/** Istio's agents call the cluster that nobody has named by another name. */
function namesOfCluster(clusterId: string): readonly string[] {
  return clusterId === 'Cluster' ? ['Cluster', 'Kubernetes'] : [clusterId];
}

const usualAudiences: readonly string[] = ['mesh-ca', 'istio-ca'];

async function tokensOf(
  { tokenIssuer, tokenKeys, tokenIssuerRoots, tokenAudience }: ServeFlags,
  settings: Settings,
  environment: Environment,
): Promise<TokenConfig | undefined> {
  const policy = variable(environment, 'JWT_POLICY', parseTokenPolicy);
  if (tokenIssuer === undefined && tokenKeys === undefined) return undefined;
  if (policy === 'none')
    throw new UsageError('JWT_POLICY=none takes no tokens, but --tokenIssuer or --tokenKeys is given');
  if (tokenKeys === undefined && !/^https?:\/\/[^?#]+$/i.test(tokenIssuer ?? '')) {
    throw new UsageError(`--tokenIssuer is a URL where no --tokenKeys are given, not "${tokenIssuer}"`);
  }
  return {
    issuer: tokenIssuer,
    keyFile: tokenKeys,
    audiences: tokenAudience ?? usualAudiences,
    isFirstParty: policy === 'first-party-jwt',
    allowedHosts: settings.jwksAllowedHosts,
    issuerRoots: tokenIssuerRoots === undefined ? undefined : await readRoots(tokenIssuerRoots),
    issuerRootsFile: tokenIssuerRoots,
  };
}

/** How the API server of the cluster is asked about tokens; JWT_POLICY=none: not at all. */
function reviewsOf(
  { tokenAudience: audiences = usualAudiences }: ServeFlags,
  environment: Environment,
): AuthorityConfig['reviews'] {
  const policy = variable(environment, 'JWT_POLICY', parseTokenPolicy);
  return policy === 'none' ? undefined : { audiences, isFirstParty: policy === 'first-party-jwt' };
}

async function readRoots(path: string): Promise<string> {
  try {
    return await readIssuerRoots(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new UsageError(`--tokenIssuerRoots: ${(error as Error).message}`);
  }
}
