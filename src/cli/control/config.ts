import type { Environment } from '../../config/environment.ts';
import type { SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import { parseTokenPolicy } from '../../config/token-policy.ts';
import { type ParsedVariable, parseBoolean, parseDurationVariable, parseInteger } from '../../config/variable.ts';
import { variables } from '../../config/variables.ts';
import { readIssuerRoots } from '../../control/auth/issuer-roots.ts';
import type {
  AuthorityConfig,
  ControlConfig,
  ServerCertificateConfig,
  TokenConfig,
} from '../../control/control-config.ts';
import type { MeshSource, StatusConfig } from '../../control/registry/open-registry.ts';
import { isServerName, ownNames } from '../../control/server/own-certificate.ts';
import { otlpSettingsOf } from '../../control/trace/otlp-settings.ts';
import { openRepository } from '../../git/open-repository.ts';
import { openAccess } from '../../kubernetes/open-access.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { version } from '../../lib/version.ts';
import { defaultDebugSocket, type ServeFlags } from './flags.ts';
import { serveVariables } from './variables.ts';

const usualPort = 15_012;

const defaultStateFolder = './var/lib/mesh/state';

const defaultMeshConfig = './etc/mesh/config/mesh';

/** What flags, variables and the mesh configuration say, settled; `UsageError` for what makes no sense or would be ignored. */
export async function controlConfigOf(
  flags: ServeFlags,
  settings: Settings,
  environment: Environment,
): Promise<ControlConfig> {
  refuseUnsupported(environment);
  const hasAuthority = variable(environment, 'ENABLE_CA_SERVER', parseBoolean);
  const secure = secureOf(flags, environment, hasAuthority);
  const distribution = await distributionOf(flags, settings, environment, hasAuthority && secure !== undefined);
  return {
    trustDomain: settings.trustDomain,
    settings: settingsOptionsOf(flags, environment),
    authority: hasAuthority ? await authorityOf(flags, settings, environment) : undefined,
    secure,
    distribution,
    replica: replicaOf(distribution?.compile.source, environment),
    rootNamespaces: hasAuthority ? rootNamespacesOf(distribution?.compile.source, environment) : undefined,
    debugSocket: flags.debugSocket ?? defaultDebugSocket,
    debugAddress: debugAddressOf(flags),
    monitoring: flags.monitoringAddr,
    version,
  };
}

/** Where settings come from; a mesh configuration at the default place may be absent. */
export function settingsOptionsOf(flags: ServeFlags, environment: Environment): SettingsOptions {
  const meshConfig = { path: flags.meshConfig ?? defaultMeshConfig, isRequired: flags.meshConfig !== undefined };
  return { meshConfig, environment: { ...environment }, flags: { trustDomain: flags.trustDomain } };
}

const supported: ReadonlySet<string> = new Set(serveVariables.map(({ name }) => name));

/** A variable that is set and would have no effect is refused by name. */
function refuseUnsupported(environment: Environment): void {
  const names = variables
    .filter(({ name, owner }) => owner === 'control-plane' && !supported.has(name))
    .filter(({ name, type, default: usual }) => {
      const text = environment[name] ?? '';
      return text !== '' && text !== usual && !(type === 'boolean' && isSameBoolean(text, usual));
    })
    .map(({ name }) => name)
    .sort();
  if (names.length > 0) throw new UsageError(`not supported yet: ${names.join(', ')}`);
}

function isSameBoolean(text: string, usual: string): boolean {
  const [a, b] = [parseBoolean(text), parseBoolean(usual)];
  return a.ok && b.ok && a.value === b.value;
}

/** What cannot be read is an error: these decide who gets a certificate. */
function variable<T>(environment: Environment, name: string, parse: (text: string) => ParsedVariable<T>): T {
  const text = environment[name] || (variables.find((known) => known.name === name)?.default ?? '');
  const parsed = parse(text);
  if (!parsed.ok) throw new UsageError(`${name} is ${parsed.expected}, not "${text}"`);
  return parsed.value;
}

async function distributionOf(
  flags: ServeFlags,
  { trustDomain, jwksAllowedHosts }: Settings,
  environment: Environment,
  isServed: boolean,
): Promise<ControlConfig['distribution']> {
  const source = await sourceOf(flags, environment);
  if (source === undefined) {
    const unused = (['anyProxyAddress', 'stateFolder', 'debugSocket', 'debugAddr'] as const).find(
      (name) => flags[name] !== undefined,
    );
    if (unused !== undefined)
      throw new UsageError(`--${unused} has an effect with --config, --git or --kubernetes alone`);
    return undefined;
  }
  if (!isServed)
    throw new UsageError(
      '--config, --git and --kubernetes need the TLS listener and the CA, which show who a proxy is',
    );
  return {
    compile: {
      source,
      settings: settingsOptionsOf(flags, environment),
      trustDomain,
      stateFolder: flags.stateFolder ?? defaultStateFolder,
      debounce: {
        afterMs: variable(environment, 'PILOT_DEBOUNCE_AFTER', parseDurationVariable),
        maxMs: variable(environment, 'PILOT_DEBOUNCE_MAX', parseDurationVariable),
      },
      gathersEndpoints: variable(environment, 'PILOT_ENABLE_EDS_DEBOUNCE', parseBoolean),
      leavesOutInvalid: variable(environment, 'PILOT_ENABLE_CRD_VALIDATION', parseBoolean),
    },
    trackedMs: variable(environment, 'PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING', parseBoolean)
      ? variable(environment, 'PILOT_DISTRIBUTION_HISTORY_RETENTION', parseDurationVariable)
      : undefined,
    keepsAcknowledged: variable(environment, 'PILOT_DEBUG_ADSZ_CONFIG', parseBoolean),
    traces: otlpSettingsOf(environment, version),
    throttle: variable(environment, 'PILOT_PUSH_THROTTLE', parsePositive),
    takesAnyAddress: flags.anyProxyAddress === true,
    jwksAllowedHosts,
  };
}

/** Who may ask is what a token of the issuer says. */
function debugAddressOf({ debugAddr, tokenIssuer, tokenKeys }: ServeFlags): ControlConfig['debugAddress'] {
  if (debugAddr !== undefined && tokenIssuer === undefined && tokenKeys === undefined)
    throw new UsageError('--debugAddr needs --tokenIssuer or --tokenKeys, which show who asks');
  return debugAddr;
}

/** Where the objects of the mesh come from; a kubeconfig that cannot be used is told before anything is served. */
async function sourceOf(flags: ServeFlags, environment: Environment): Promise<MeshSource | undefined> {
  const { config: folder, git, rev, kubernetes, kubeconfig, context, watchNamespaces: namespaces = [] } = flags;
  const places = Object.entries({ '--config': folder, '--git': git, '--kubernetes': kubernetes });
  const given = places.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} are places of one mesh: give one of them`);
  if (rev !== undefined && git === undefined) throw new UsageError('--rev has an effect with --git alone');
  const slices = variable(environment, 'PILOT_USE_ENDPOINT_SLICE', parseBoolean);
  const status = statusOf(environment);
  if (!kubernetes) {
    const others = { '--kubeconfig': kubeconfig, '--context': context, '--watch-namespaces': flags.watchNamespaces };
    const unused = Object.entries(others).find(([, value]) => value !== undefined);
    if (unused !== undefined) throw new UsageError(`${unused[0]} has an effect with --kubernetes alone`);
    const set = {
      PILOT_USE_ENDPOINT_SLICE: slices,
      PILOT_ENABLE_CRD_VALIDATION: variable(environment, 'PILOT_ENABLE_CRD_VALIDATION', parseBoolean),
      PILOT_ENABLE_STATUS: status?.reconciliation,
      PILOT_ENABLE_ANALYSIS: status?.analysis,
    };
    const ofCluster = Object.entries(set).find(([, isSet]) => isSet);
    if (ofCluster !== undefined) throw new UsageError(`${ofCluster[0]} has an effect with --kubernetes alone`);
    if (git !== undefined) return gitSourceOf(git, rev);
    return folder === undefined ? undefined : { type: 'folder', folder };
  }
  if (context !== undefined && kubeconfig === undefined)
    throw new UsageError('--context has an effect with --kubeconfig alone');
  const unusable = namespaces.find((namespace) => !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace));
  if (unusable !== undefined) throw new UsageError(`--watch-namespaces takes names of namespaces, not "${unusable}"`);
  const address = { kubeconfig, context };
  await openAccess(address, environment);
  return { type: 'cluster', address, namespaces: [...new Set(namespaces)], slices, status };
}

/** Undefined: the status of objects is not written. */
function statusOf(environment: Environment): StatusConfig | undefined {
  const reconciliation = variable(environment, 'PILOT_ENABLE_STATUS', parseBoolean);
  const analysis = variable(environment, 'PILOT_ENABLE_ANALYSIS', parseBoolean);
  const perSecond = variable(environment, 'PILOT_STATUS_QPS', parsePositiveNumber);
  const burst = variable(environment, 'PILOT_STATUS_BURST', parsePositive);
  if (reconciliation || analysis) return { reconciliation, analysis, rate: { perSecond, burst } };
  const unused = ['PILOT_STATUS_QPS', 'PILOT_STATUS_BURST'].find((name) => (environment[name] ?? '') !== '');
  if (unused === undefined) return undefined;
  throw new UsageError(`${unused} has an effect with PILOT_ENABLE_STATUS or PILOT_ENABLE_ANALYSIS alone`);
}

/** Replicas of one cluster elect a leader. */
function replicaOf(source: MeshSource | undefined, environment: Environment): ControlConfig['replica'] {
  return source?.type === 'cluster' ? { address: source.address, namespace: namespaceOf(environment) } : undefined;
}

/** Where the roots of the CA are published: wherever objects are followed, and in our own namespace. */
function rootNamespacesOf(source: MeshSource | undefined, environment: Environment): readonly string[] | undefined {
  if (source?.type !== 'cluster') return undefined;
  return source.namespaces.length === 0 ? [] : [...new Set([...source.namespaces, namespaceOf(environment)])];
}

/** Where the control plane runs; `MESH_NAMESPACE` is the agent's name of it. */
function namespaceOf({ NAMESPACE: own = '', MESH_NAMESPACE: mesh = '' }: Environment): string {
  if (own !== '' && mesh !== '' && own !== mesh)
    throw new UsageError(
      `NAMESPACE is "${own}", and MESH_NAMESPACE "${mesh}": both name the namespace of the control plane`,
    );
  return own || mesh || 'mesh-system';
}

async function gitSourceOf(folder: string, revision: ServeFlags['rev']): Promise<MeshSource> {
  if (revision === undefined) throw new UsageError('--git needs --rev, for example --rev main');
  await openRepository(folder);
  return { type: 'git', folder, revision };
}

async function authorityOf(flags: ServeFlags, settings: Settings, environment: Environment): Promise<AuthorityConfig> {
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

/** A certificate that we cannot sign is not asked for: without an authority the listener needs one of the operator's. */
function secureOf(flags: ServeFlags, environment: Environment, hasAuthority: boolean): ControlConfig['secure'] {
  // Set and empty is what the specification calls disabled; not set at all takes the usual name.
  if (environment.MESHD_ADDR === '' && flags.listen === undefined) return undefined;
  const certificate = certificateOf(environment, hasAuthority);
  if (certificate === undefined) {
    if (flags.listen !== undefined) {
      throw new UsageError(
        '--listen needs a certificate: ENABLE_CA_SERVER is false, and PILOT_CERT_PROVIDER names no folder',
      );
    }
    return undefined;
  }
  return {
    address: flags.listen ?? { host: '', port: usualPort },
    certificate,
    maxMessageBytes: variable(environment, 'MESH_GPRC_MAXRECVMSGSIZE', parsePositive),
    maxStreams: variable(environment, 'MESH_GPRC_MAXSTREAMS', parsePositive),
  };
}

function parsePositive(text: string): ParsedVariable<number> {
  const parsed = parseInteger(text);
  return parsed.ok && parsed.value > 0 && parsed.value < 2 ** 31
    ? parsed
    : { ok: false, expected: 'a whole number from 1 on' };
}

function parsePositiveNumber(text: string): ParsedVariable<number> {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? { ok: true, value } : { ok: false, expected: 'a number above 0' };
}

function certificateOf(environment: Environment, hasAuthority: boolean): ServerCertificateConfig | undefined {
  const { PILOT_CERT_PROVIDER, PILOT_CERT_DIR: folder = '' } = environment;
  const provider = PILOT_CERT_PROVIDER || 'meshd';
  if (provider === 'kubernetes') {
    throw new UsageError('not supported: PILOT_CERT_PROVIDER=kubernetes, whose signing API clusters have removed');
  }
  if (provider !== 'meshd') {
    if (provider === 'custom' && folder === '') throw new UsageError('PILOT_CERT_PROVIDER=custom needs PILOT_CERT_DIR');
    return { folder: folder || provider };
  }
  if (!hasAuthority) return undefined;
  const names = ownNames({
    address: environment.MESHD_ADDR ?? '',
    customHosts: environment.MESHD_CUSTOM_HOST ?? '',
    namespace: namespaceOf(environment),
  });
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined) {
    throw new UsageError(`"${wrong}" is no name for a server certificate (MESHD_ADDR, MESHD_CUSTOM_HOST, NAMESPACE)`);
  }
  return { names, outputFolder: folder || undefined };
}
