import type { Settings } from '../config/settings.ts';
import type { JsonObject } from '../source/document.ts';
import type { InjectionAnnotations } from './annotations.ts';
import { addedLabels } from './labels.ts';
import type { InjectionTarget, Texts } from './pod.ts';
import type { PodSettings } from './pod-settings.ts';
import { redirectionArgs } from './redirection.ts';
import type { InjectionSettings, Resources } from './settings.ts';
import { ownerOf } from './workload-name.ts';

/** A variable of a container, as the Kubernetes API has it. */
interface Variable {
  readonly name: string;
  readonly value: string;
}

/** What templates of injection place; a user's templates too, so that names here stay. */
export interface InjectionView {
  readonly labels: Texts;
  readonly gatewayLabels: Texts;
  readonly annotations: Texts;
  readonly image: string;
  readonly imagePullPolicy: string | undefined;
  readonly imagePullSecrets: readonly { readonly name: string }[] | undefined;
  readonly args: readonly string[];
  readonly gatewayArgs: readonly string[];
  /** Undefined: nothing redirects, or something else does. */
  readonly redirection: { readonly args: readonly string[] } | undefined;
  /** Of both containers: `proxyMetadata` of the proxy's configuration. */
  readonly variables: readonly Variable[];
  /** The mode is TPROXY. */
  readonly isTransparent: boolean;
  readonly interceptionMode: string;
  readonly proxyConfig: string;
  readonly trustDomain: string;
  readonly clusterId: string;
  /** Undefined: it is not known. */
  readonly network: string | undefined;
  readonly workloadName: string;
  readonly owner: string;
  readonly terminationGracePeriodSeconds: string;
  readonly appProbers: string | undefined;
  readonly metricsAnnotations: string | undefined;
  readonly statusPort: number;
  readonly readiness: Readonly<Record<'initialDelaySeconds' | 'periodSeconds' | 'failureThreshold', number>>;
  readonly holdsApplication: boolean;
  readonly waitCommand: readonly string[];
  readonly drainCommand: readonly string[];
  readonly resources: Resources;
  readonly rootConfigMap: string;
  readonly tokenAudience: string;
  /** `injection.values` of the mesh configuration. */
  readonly values: JsonObject;
  readonly userVolumes: readonly object[];
  readonly userMounts: readonly object[];
}

/** Facts of the pod that were found before. */
export interface ViewFacts {
  readonly labels: Texts;
  readonly annotations: InjectionAnnotations;
  readonly pod: PodSettings;
  /** MESH_APP_PROBERS. */
  readonly probers: JsonObject;
  readonly metrics: { readonly annotations: Texts; readonly ofApplication: string | undefined };
}

/** What the templates place for a pod. */
export function viewOf(target: InjectionTarget, facts: ViewFacts, settings: InjectionSettings): InjectionView {
  const { annotations, pod, metrics, probers, labels } = facts;
  const { mesh } = pod;
  const { proxy } = mesh;
  const owner = ownerOf(target, labels);
  const labelsFor = (role: PodSettings['role']): Texts =>
    addedLabels(labels, { workload: owner.name, revision: settings.revision, role });
  const grace = target.pod.spec.terminationGracePeriodSeconds;
  const { pullSecrets, pullPolicy } = settings.image;
  const statusUrl = `http://127.0.0.1:${proxy.statusPort}/healthz/ready`;
  const variables = Object.entries(proxy.proxyMetadata).map(([name, value]) => ({ name, value }));
  return {
    labels: labelsFor('sidecar'),
    gatewayLabels: labelsFor('gateway'),
    annotations: metrics.annotations,
    image: pod.image,
    imagePullPolicy: pullPolicy,
    imagePullSecrets: pullSecrets.length === 0 ? undefined : pullSecrets.map((name) => ({ name })),
    args: ['proxy', 'sidecar', ...logArgs(annotations, mesh.clusterDomain)],
    gatewayArgs: ['proxy', 'router', ...logArgs(annotations, mesh.clusterDomain)],
    redirection: pod.redirects ? { args: redirectionArgs(annotations, mesh) } : undefined,
    variables,
    isTransparent: proxy.interceptionMode === 'TPROXY',
    interceptionMode: proxy.interceptionMode,
    proxyConfig: proxyConfigText(mesh, settings),
    trustDomain: mesh.trustDomain,
    clusterId: target.cluster ?? mesh.clusterId,
    network: target.network,
    workloadName: owner.name,
    owner: owner.uri,
    terminationGracePeriodSeconds: String(typeof grace === 'number' ? grace : 30),
    appProbers: Object.keys(probers).length === 0 ? undefined : JSON.stringify(probers),
    metricsAnnotations: metrics.ofApplication,
    statusPort: proxy.statusPort,
    readiness: {
      initialDelaySeconds: Number(annotations['readiness.status.sidecar.mesh.io/initialDelaySeconds'] ?? 0),
      periodSeconds: Number(annotations['readiness.status.sidecar.mesh.io/periodSeconds'] ?? 5),
      failureThreshold: Number(annotations['readiness.status.sidecar.mesh.io/failureThreshold'] ?? 3),
    },
    holdsApplication: pod.holdsApplication,
    waitCommand: ['pilot-agent', 'wait', '--url', statusUrl],
    drainCommand: ['pilot-agent', 'request', '--debug-port', String(proxy.statusPort), 'POST', 'drain'],
    resources: pod.resources,
    rootConfigMap: settings.rootConfigMap,
    tokenAudience: settings.tokenAudience,
    values: settings.values,
    userVolumes: namedJson(annotations['sidecar.mesh.io/userVolume']),
    userMounts: namedJson(annotations['sidecar.mesh.io/userVolumeMount']),
  };
}

function logArgs(annotations: InjectionAnnotations, clusterDomain: string): readonly string[] {
  const flags = [
    ['--proxyLogLevel', annotations['sidecar.mesh.io/logLevel']],
    ['--proxyComponentLogLevel', annotations['sidecar.mesh.io/componentLogLevel']],
    ['--log_output_level', annotations['sidecar.mesh.io/agentLogLevel']],
  ] as const;
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return ['--domain', `$(POD_NAMESPACE).svc.${clusterDomain}`, ...given];
}

/**
 * PROXY_CONFIG: the mesh's own configuration of proxies. The agent lays the pod's annotations over it, which it reads from
 * the volume `mesh-pod`. Its files lie in a folder of the volume `mesh-run` that only its user can open.
 */
function proxyConfigText({ proxy }: Settings, { proxyConfig }: InjectionSettings): string {
  const { holdApplicationUntilProxyStarts, ...fields } = proxyConfig;
  const { discoveryAddress, statusPort, terminationDrain } = proxy;
  const drain = terminationDrain === 'plain' ? {} : { terminationDrain };
  return JSON.stringify({ configPath: '/var/run/mesh/proxy', ...fields, ...drain, discoveryAddress, statusPort });
}

/** `{"name": {…}}` of an annotation as a list of items with that name. */
function namedJson(text: string | undefined): readonly object[] {
  const items = Object.entries(JSON.parse(text ?? '{}') as Readonly<Record<string, object>>);
  return items.map(([name, item]) => ({ name, ...item }));
}
