import { resolve } from 'node:path';
import type { ConsulAddress } from '../../consul/consul-address.ts';
import type { Revision } from '../../git/revision.ts';
import { KubernetesApi } from '../../kubernetes/api.ts';
import { type ClusterAddress, openAccess } from '../../kubernetes/open-access.ts';
import type { Rate } from '../../lib/token-bucket.ts';
import type { SourceFile } from '../../source/document.ts';
import { CatalogSource } from './catalog/catalog-source.ts';
import { ClusterRegistry } from './cluster/cluster-registry.ts';
import { FilesRegistry } from './files.ts';
import { GitRegistry } from './git.ts';
import { RegisteredServices } from './registered/registered-services.ts';
import type { Registry } from './registry.ts';
import type { ServiceSource } from './service-source.ts';
import type { StreamAddress } from './streamed/stream-address.ts';
import { StreamedSource } from './streamed/streamed-source.ts';
import { RegistryWithServices } from './with-services.ts';

/** Source of a mesh's objects, and sources of further services. */
export type MeshSource = ObjectSource & { readonly services?: ServiceSources };

/** Services beside those of the objects. */
export interface ServiceSources {
  /** Datacenters of Consul. */
  readonly catalogs: readonly ConsulAddress[];
  /** Path of a Unix socket on which programs register services; absent: none do. */
  readonly registrationSocket?: string | undefined;
  /** Servers of configuration (`xds://`); absent: none. */
  readonly streams?: readonly StreamAddress[] | undefined;
}

type ObjectSource =
  /** Folder of policies, services and workloads. */
  | { readonly type: 'folder'; readonly folder: string }
  /** The same of a commit; the folder is the repository's. */
  | { readonly type: 'git'; readonly folder: string; readonly revision: Revision }
  | {
      readonly type: 'cluster';
      readonly address: ClusterAddress;
      /** Empty: the whole cluster. */
      readonly namespaces: readonly string[];
      /** PILOT_USE_ENDPOINT_SLICE */
      readonly slices: boolean;
      /** PILOT_ENABLED_SERVICE_APIS */
      readonly gatewayApi?: boolean | undefined;
      /** After so long services are served as far as they are known; absent: a minute. */
      readonly servicesMs?: number;
      /** Absent: the status of objects is not written. */
      readonly status?: StatusConfig | undefined;
    };

/** Which conditions are written to the status of policies, and how often. That of objects of the Gateway API is written if they are read. */
export interface StatusConfig {
  /** PILOT_ENABLE_STATUS: whether the object is accepted, and how many proxies have it. */
  readonly reconciliation: boolean;
  /** PILOT_ENABLE_ANALYSIS: what lint finds. */
  readonly analysis: boolean;
  /** PILOT_STATUS_QPS, PILOT_STATUS_BURST */
  readonly rate: Rate;
}

/** Objects that were active before the registry is opened. */
export interface Before {
  readonly files: readonly SourceFile[] | undefined;
  readonly folders: Registry['folders'] | undefined;
}

/** Who is told of problems, and what is not read. */
export interface RegistryOptions {
  readonly onProblem: (text: string) => void;
  /** Objects of the Gateway API: policies that name them are invalid. */
  readonly skipsGatewayApi?: boolean | undefined;
}

/** A name that identifies a source, for its state on disk. */
export function nameOf({ services, ...source }: MeshSource): string {
  const ids = services?.catalogs.map(({ id }) => id).sort() ?? [];
  const streams = services?.streams?.map(({ address }) => address).sort() ?? [];
  return [
    nameOfObjects(source),
    ...(ids.length === 0 ? [] : [`consul ${ids.join(',')}`]),
    ...(streams.length === 0 ? [] : [`xds ${streams.join(',')}`]),
  ].join(' ');
}

function nameOfObjects(source: ObjectSource): string {
  if (source.type === 'folder') return resolve(source.folder);
  if (source.type === 'git') return `git ${JSON.stringify([resolve(source.folder), source.revision.text])}`;
  const { kubeconfig, context } = source.address;
  return `kubernetes ${JSON.stringify([kubeconfig === undefined ? null : resolve(kubeconfig), context ?? null])}`;
}

/**
 * Opens a source. If a cluster can't be reached, the registry keeps trying. Throws `KubernetesError` for an unusable
 * kubeconfig.
 */
export async function openRegistry(
  { services, ...source }: MeshSource,
  before: Before,
  { onProblem, skipsGatewayApi }: RegistryOptions,
): Promise<Registry> {
  const main = await openObjects(source, before, onProblem);
  if (services === undefined) return main;
  const known = before.files ?? [];
  const { catalogs, registrationSocket, streams = [] } = services;
  const sources: ServiceSource[] = [];
  if (catalogs.length > 0) sources.push(new CatalogSource({ addresses: catalogs, known, onProblem }));
  if (registrationSocket !== undefined) sources.push(new RegisteredServices(registrationSocket));
  for (const address of streams) sources.push(new StreamedSource({ address, known, onProblem, skipsGatewayApi }));
  return new RegistryWithServices(main, sources);
}

async function openObjects(source: ObjectSource, before: Before, onProblem: (text: string) => void): Promise<Registry> {
  if (source.type === 'folder') return new FilesRegistry(source.folder, before.folders);
  if (source.type === 'git') return new GitRegistry(source.folder, source.revision);
  const api = new KubernetesApi(await openAccess(source.address, process.env));
  const { status, address: _, type: __, ...rest } = source;
  const writesStatus = status && {
    policies: status.reconciliation || status.analysis,
    gatewayApi: source.gatewayApi === true,
  };
  return new ClusterRegistry({ api, ...rest, writesStatus, known: before.files ?? [], onProblem });
}
