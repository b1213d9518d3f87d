import { defaultRevision } from '../compiler/topology/injection.ts';
import { configAnnotation } from '../config/annotations.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import type { ProxySettings, Settings } from '../config/settings.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { type InjectionAnnotations, saysTrue } from './annotations.ts';
import { containersOf, type PodObject } from './pod.ts';
import type { InjectionSettings, Quantities, Resources } from './settings.ts';

/** Settings of one pod: those of the mesh, and what its annotations say. */
export interface PodSettings {
  readonly mesh: Settings;
  readonly role: 'sidecar' | 'gateway';
  readonly templates: readonly string[];
  readonly isNative: boolean;
  readonly holdsApplication: boolean;
  readonly redirects: boolean;
  readonly rewritesProbes: boolean;
  readonly mergesMetrics: boolean;
  readonly resources: Resources;
  readonly image: string;
}

/** Lays a pod's annotations, which were checked, over the settings. A faulty ProxyConfig is an error in the bag. */
export function podSettings(
  pod: PodObject,
  annotations: InjectionAnnotations,
  templates: readonly string[],
  settings: InjectionSettings,
  bag: DiagnosticBag,
): PodSettings {
  const mesh = meshOf(annotations, settings, bag);
  const role = templates.includes('gateway') ? 'gateway' : 'sidecar';
  return {
    mesh,
    role,
    templates,
    // A gateway has no application that it would start before.
    isNative: role === 'sidecar' && isNative(pod, annotations, settings),
    holdsApplication: holdsApplication(annotations, settings),
    redirects: role === 'sidecar' && settings.redirects,
    rewritesProbes:
      role === 'sidecar' && (saysTrue(annotations['sidecar.mesh.io/rewriteAppHTTPProbers']) ?? settings.rewritesProbes),
    mergesMetrics: saysTrue(annotations['prometheus.mesh.io/merge-metrics']) ?? settings.mergesMetrics,
    resources: resourcesOf(annotations, settings),
    image: annotations['sidecar.mesh.io/proxyImage'] ?? settings.image.name,
  };
}

function meshOf(annotations: InjectionAnnotations, settings: InjectionSettings, bag: DiagnosticBag): Settings {
  const annotation = annotations['proxy.mesh.io/config'];
  const { meshConfig, mesh } = settings;
  const { trustDomain } = mesh;
  const read =
    annotation === undefined
      ? mesh
      : settingsOf({ meshConfig, environment: {}, flags: { trustDomain }, annotation }, bag).settings;
  const mode = annotations['sidecar.mesh.io/interceptionMode'] as ProxySettings['interceptionMode'] | undefined;
  const port = annotations['status.sidecar.mesh.io/port'];
  const proxy: ProxySettings = {
    ...read.proxy,
    discoveryAddress: annotations['sidecar.mesh.io/discoveryAddress'] ?? discoveryAddress(read, settings),
    interceptionMode: mode ?? read.proxy.interceptionMode,
    ...(port === undefined ? {} : { statusPort: Number(port) }),
  };
  return { ...read, proxy };
}

/** A revision has a service of its own, unless the mesh configuration names another. */
function discoveryAddress({ proxy, origins }: Settings, { revision, ownNamespaces }: InjectionSettings): string {
  const isSaid = origins['proxy.discoveryAddress'] !== undefined;
  if (isSaid || revision === defaultRevision) return proxy.discoveryAddress;
  return `meshd-${revision}.${ownNamespaces[0] ?? 'mesh-system'}.svc:15012`;
}

/** The pod's word; the place of its own part of the proxy's container says it too. */
function isNative(pod: PodObject, annotations: InjectionAnnotations, settings: InjectionSettings): boolean {
  const hasPart = containersOf(pod, 'initContainers').some(({ name }) => name === 'mesh-proxy');
  return saysTrue(annotations['sidecar.mesh.io/nativeSidecar']) ?? (hasPart || settings.isNative);
}

function holdsApplication(annotations: InjectionAnnotations, { proxyConfig }: InjectionSettings): boolean {
  const text = annotations['proxy.mesh.io/config'];
  // What is wrong in it was told where all of it is read.
  const ofPod =
    text === undefined ? undefined : readConfiguration(configFile(text), 'ProxyConfig', new DiagnosticBag());
  return (ofPod?.value.holdApplicationUntilProxyStarts ?? proxyConfig.holdApplicationUntilProxyStarts) === true;
}

function configFile(text: string): SourceFile {
  return { path: `annotation ${configAnnotation}`, text };
}

/** Where annotations name a request or a limit of a resource, those of the settings do not count for it. */
function resourcesOf(annotations: InjectionAnnotations, { resources }: InjectionSettings): Resources {
  let { requests = {}, limits = {} } = resources;
  for (const [resource, name] of [
    ['cpu', 'CPU'],
    ['memory', 'Memory'],
  ] as const) {
    const request = annotations[`sidecar.mesh.io/proxy${name}`];
    const limit = annotations[`sidecar.mesh.io/proxy${name}Limit`];
    if (request === undefined && limit === undefined) continue;
    requests = withQuantity(requests, resource, request);
    limits = withQuantity(limits, resource, limit);
  }
  return { requests, limits };
}

function withQuantity(quantities: Quantities, resource: string, quantity: string | undefined): Quantities {
  const { [resource]: _, ...others } = quantities;
  return quantity === undefined ? others : { ...others, [resource]: quantity };
}
