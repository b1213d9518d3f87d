import type { Environment } from '../../config/environment.ts';
import { parseBoolean } from '../../config/variable.ts';
import type { MeshSource, ServiceSources, StatusConfig } from '../../control/registry/open-registry.ts';
import { openRepository } from '../../git/open-repository.ts';
import { openAccess } from '../../kubernetes/open-access.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';
import { streamAddressesOf, withStreams } from './stream-addresses.ts';
import { isNamespaceName, parsePositive, parsePositiveNumber, variable } from './variable-values.ts';

/** Each needs so many connections to the API server, and more for the Gateway API. */
const connectionsOf = (gatewayApi: boolean): number => (gatewayApi ? 31 : 26);
const mostNamespaces = 100;

/**
 * Where the objects of the mesh come from; undefined: nowhere, no configuration is served. A kubeconfig or a repository that
 * cannot be used is told before anything is served; `UsageError` for what names two places, or would be ignored.
 */
export async function meshSourceOf(
  flags: ServeFlags,
  environment: Environment,
  configSources: readonly string[] = [],
): Promise<MeshSource | undefined> {
  const streams = streamAddressesOf(flags, environment, configSources);
  const services = withStreams(serviceSourcesOf(flags), streams);
  const source = await objectSourceOf(flags, environment);
  if (services === undefined || source !== undefined) return source && { ...source, ...(services && { services }) };
  if (streams.length > 0)
    throw new UsageError(
      'configSources with xds:// adds objects to a mesh: say where its own are with --config, --git or --kubernetes',
    );
  const flag = flags.consul === undefined ? '--registrationSocket' : '--consul';
  throw new UsageError(`${flag} adds services to a mesh: give its policies with --config, --git or --kubernetes`);
}

async function objectSourceOf(flags: ServeFlags, environment: Environment): Promise<MeshSource | undefined> {
  const { config: folder, git, rev, kubernetes, kubeconfig, context, watchNamespaces: namespaces = [] } = flags;
  const places = Object.entries({ '--config': folder, '--git': git, '--kubernetes': kubernetes });
  const given = places.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} are places of one mesh: give one of them`);
  if (rev !== undefined && git === undefined) throw new UsageError('--rev has an effect with --git alone');
  const slices = variable(environment, 'PILOT_USE_ENDPOINT_SLICE', parseBoolean);
  const gatewayApi = variable(environment, 'PILOT_ENABLED_SERVICE_APIS', parseBoolean);
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
      PILOT_STATUS_QPS: isSet(environment, 'PILOT_STATUS_QPS'),
      PILOT_STATUS_BURST: isSet(environment, 'PILOT_STATUS_BURST'),
    };
    const ofCluster = Object.entries(set).find(([, isGiven]) => isGiven);
    if (ofCluster !== undefined) throw new UsageError(`${ofCluster[0]} has an effect with --kubernetes alone`);
    if (git !== undefined) return gitSourceOf(git, rev);
    return folder === undefined ? undefined : { type: 'folder', folder };
  }
  if (context !== undefined && kubeconfig === undefined)
    throw new UsageError('--context has an effect with --kubeconfig alone');
  const unusable = namespaces.find((namespace) => !isNamespaceName(namespace));
  if (unusable !== undefined) throw new UsageError(`--watch-namespaces takes names of namespaces, not "${unusable}"`);
  const names = [...new Set(namespaces)];
  if (names.length > mostNamespaces) {
    throw new UsageError(
      `--watch-namespaces takes at most ${mostNamespaces} namespaces, since each needs ${connectionsOf(gatewayApi)} connections to the API server, not ${names.length}; without it, the objects of all namespaces are read`,
    );
  }
  const address = { kubeconfig, context };
  await openAccess(address, environment);
  return { type: 'cluster', address, namespaces: names, slices, gatewayApi, status };
}

/** Undefined: no services but those of the objects. */
function serviceSourcesOf(flags: ServeFlags): ServiceSources | undefined {
  const { consul = [], consulToken: token, consulRoots: roots, consulCertificate: certificate, consulKey: key } = flags;
  const files = { token, roots, certificate, key };
  if (consul.length === 0) {
    const unused = Object.entries(files).find(([, path]) => path !== undefined)?.[0];
    if (unused !== undefined)
      throw new UsageError(`--consul${unused[0]?.toUpperCase()}${unused.slice(1)} has an effect with --consul alone`);
  }
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError('--consulCertificate and --consulKey belong together: give both');
  const plain = consul.find(({ origin }) => origin.startsWith('http:'));
  if (plain !== undefined && (roots ?? certificate) !== undefined)
    throw new UsageError(`--consulRoots and --consulCertificate are for https, and "${plain.origin}" is not`);
  const { registrationSocket } = flags;
  if (consul.length === 0 && registrationSocket === undefined) return undefined;
  return { catalogs: consul.map((address) => ({ ...address, files })), registrationSocket };
}

async function gitSourceOf(folder: string, revision: ServeFlags['rev']): Promise<MeshSource> {
  if (revision === undefined) throw new UsageError('--git needs --rev, for example --rev main');
  await openRepository(folder);
  return { type: 'git', folder, revision };
}

/** Undefined: the status of objects is not written. */
function statusOf(environment: Environment): StatusConfig | undefined {
  const reconciliation = variable(environment, 'PILOT_ENABLE_STATUS', parseBoolean);
  const analysis = variable(environment, 'PILOT_ENABLE_ANALYSIS', parseBoolean);
  const perSecond = variable(environment, 'PILOT_STATUS_QPS', parsePositiveNumber);
  const burst = variable(environment, 'PILOT_STATUS_BURST', parsePositive);
  const gatewayApi = variable(environment, 'PILOT_ENABLED_SERVICE_APIS', parseBoolean);
  if (reconciliation || analysis || gatewayApi) return { reconciliation, analysis, rate: { perSecond, burst } };
  const unused = ['PILOT_STATUS_QPS', 'PILOT_STATUS_BURST'].find((name) => isSet(environment, name));
  if (unused === undefined) return undefined;
  throw new UsageError(
    `${unused} has an effect with PILOT_ENABLE_STATUS, PILOT_ENABLE_ANALYSIS or PILOT_ENABLED_SERVICE_APIS alone`,
  );
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}
