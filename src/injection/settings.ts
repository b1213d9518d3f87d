import { readConfiguration } from '../config/read-configuration.ts';
import type { Settings } from '../config/settings.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import type { InjectionPolicy } from './decide.ts';
import { type InjectionTemplates, loadTemplates, type NamedTemplate } from './templates.ts';

/** All that injection depends on beside the pod and its namespace. */
export interface InjectionSettings extends InjectionPolicy {
  /** The mesh as its configuration says it, without annotations of a pod. */
  readonly mesh: Settings;
  /** Texts that these are made of, for pods that override a part of them. */
  readonly meshConfig: SourceFile | undefined;
  /** `defaultConfig` of the mesh configuration, as it is written. */
  readonly proxyConfig: JsonObject;
  readonly templates: InjectionTemplates;
  readonly image: InjectedImage;
  readonly defaultTemplates: readonly string[];
  /** Values of the user's own, for the user's templates. */
  readonly values: JsonObject;
  /** The proxy is a native sidecar. */
  readonly isNative: boolean;
  readonly redirects: boolean;
  readonly rewritesProbes: boolean;
  readonly mergesMetrics: boolean;
  /** Resources of the proxy's container, as the Kubernetes API has them. */
  readonly resources: Resources;
  /** Audience of the token that the agent shows to the CA. */
  readonly tokenAudience: string;
  /** ConfigMap of the mesh's roots in each namespace. */
  readonly rootConfigMap: string;
}

export interface InjectedImage {
  readonly name: string;
  readonly pullPolicy: string | undefined;
  readonly pullSecrets: readonly string[];
}

export interface Resources {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

export type Quantities = Readonly<Record<string, string>>;

/** What injection settings are read from. */
export interface InjectionInputs {
  /** The mesh configuration; its field `injection` is read here, all else as everywhere. */
  readonly meshConfig?: SourceFile | undefined;
  /** Of the control plane that injects. */
  readonly revision: string;
  /** Namespace of the control plane, whose pods are never injected. */
  readonly ownNamespace: string;
  /** Templates of the user's own. */
  readonly templates?: readonly NamedTemplate[];
  /** Whether proxies are native sidecars where the mesh configuration does not say. */
  readonly prefersNative?: boolean;
  /** Trust domain, where the mesh configuration is not what says it. */
  readonly trustDomain?: string | undefined;
}

/** What the field `injection` of the mesh configuration says; its schema has checked it. */
interface InjectionFields {
  readonly templates?: readonly string[];
  readonly values?: JsonObject;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly nativeSidecars?: boolean;
  readonly redirection?: boolean;
  readonly rewriteProbes?: boolean;
  readonly mergeMetrics?: boolean;
  readonly resources?: Resources;
}

const usualResources: Required<Resources> = {
  requests: { cpu: '100m', memory: '256Mi' },
  limits: { cpu: '2', memory: '512Mi' },
};

/** Settings of injection; undefined, with errors in the bag, where an input is faulty. */
export function readInjectionSettings(inputs: InjectionInputs, bag: DiagnosticBag): InjectionSettings | undefined {
  const { meshConfig, revision, ownNamespace } = inputs;
  const { settings } = settingsOf({ meshConfig, environment: {}, flags: { trustDomain: inputs.trustDomain } }, bag);
  // What is wrong in it was told where all of it was read.
  const document = meshConfig && readConfiguration(meshConfig, 'MeshConfig', new DiagnosticBag());
  const templates = loadTemplates(inputs.templates ?? [], bag);
  const { injection, defaultConfig } = (document?.value ?? {}) as JsonObject & { readonly defaultConfig?: JsonObject };
  const fields = (injection ?? {}) as InjectionFields;
  const defaultTemplates = fields.templates ?? ['sidecar'];
  for (const name of defaultTemplates) {
    if (!templates.names.includes(name))
      bag.report('unknown-injection-template', undefined, { name, names: templates.names.join(', ') });
  }
  if (bag.hasErrors) return undefined;
  return {
    revision,
    ownNamespaces: [ownNamespace],
    ...settings.injection,
    mesh: settings,
    meshConfig,
    proxyConfig: defaultConfig ?? {},
    templates,
    image: {
      name: fields.image ?? 'mesh-agent:0.1.0',
      pullPolicy: fields.imagePullPolicy,
      pullSecrets: fields.imagePullSecrets ?? [],
    },
    defaultTemplates,
    values: fields.values ?? {},
    isNative: fields.nativeSidecars ?? inputs.prefersNative ?? false,
    redirects: fields.redirection ?? true,
    rewritesProbes: fields.rewriteProbes ?? true,
    mergesMetrics: fields.mergeMetrics ?? true,
    resources: {
      requests: { ...usualResources.requests, ...fields.resources?.requests },
      limits: { ...usualResources.limits, ...fields.resources?.limits },
    },
    tokenAudience: 'mesh-ca',
    rootConfigMap: 'istio-ca-root-cert',
  };
}
