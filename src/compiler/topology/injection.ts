import type { InjectionChoice } from '../../config/settings.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { valueAt } from '../../lib/value-at.ts';
import type { LabelSelector } from '../../policy/label-selector.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { PodSpec } from '../../policy/topology-kinds.ts';
import { templatePath } from '../../policy/unread-object.ts';
import { selectsLabels } from './label-selector.ts';
import type { Labels } from './selector.ts';

/** Label, and annotation, by which a pod opts in or out. */
export const injectKey = 'sidecar.mesh.io/inject';
/** Label of a namespace that decides for its pods, whatever revision they or it name. */
export const namespaceKey = 'mesh-injection';
/** Label of a namespace or a pod that names the revision of the control plane that injects; here any revision does. */
export const revisionKey = 'mesh.io/rev';
/** Of a namespace whose pods are injected. */
export const injectedNamespace: Labels = { [namespaceKey]: 'enabled' };
/** Label of a namespace or a pod that chooses ambient mode, in which pods have no proxy of their own. */
const modeKey = 'mesh.io/dataplane-mode';
/** Annotation that names the templates of a pod's proxy. */
export const templatesKey = 'inject.mesh.io/templates';

/** Namespaces of the platform itself, in which Istio's webhook injects nothing. */
const platformNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'local-path-storage',
]);

/** Templates that add no Envoy: their applications speak to the control plane themselves. */
const proxylessTemplates: ReadonlySet<string> = new Set(['grpc-agent', 'grpc-simple']);

export interface PodFacts {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
  readonly namespaceLabels: Labels;
}

/** The revision of a control plane that nobody named. */
export const defaultRevision = 'default';

/** Why labels keep a pod without a proxy. */
export type Unselected = 'host-network' | 'platform-namespace' | 'opted-out' | 'namespace-opted-out' | 'not-asked-for';

/** What labels say of a pod: the revision of the control plane that is to inject it, or why none is. */
export type Selection =
  | { readonly isSelected: true; readonly revision: string }
  | { readonly isSelected: false; readonly reason: Unselected };

/**
 * Which of Istio's webhooks would get the pod. A pod that says anything but `"true"` by its label, or by its annotation
 * where it has no such label, never gets a proxy; beside that only labels count: those of the namespace where it has any,
 * else the pod's own.
 */
export function selectionOf({ namespace, labels, annotations, spec, namespaceLabels }: PodFacts): Selection {
  // A pod on the node's network would redirect the traffic of the whole node.
  if (spec.hostNetwork === true) return unselected('host-network');
  if (platformNamespaces.has(namespace)) return unselected('platform-namespace');
  // Any other word than "true" is no: Istio skips the pod too.
  if (!['true', ''].includes(ownWord({ labels, annotations }))) return unselected('opted-out');
  const ofNamespace = namespaceLabels[namespaceKey];
  if (ofNamespace !== undefined)
    return ofNamespace === 'enabled' ? selected(defaultRevision) : unselected('namespace-opted-out');
  const revision = namespaceLabels[revisionKey] ?? labels[revisionKey];
  if (revision !== undefined) return selected(revision === '' ? defaultRevision : revision);
  return labels[injectKey] === 'true' ? selected(defaultRevision) : unselected('not-asked-for');
}

/** What a pod says of its own injection: its label, or its annotation where it has no such label; empty: nothing. */
export function ownWord({ labels, annotations }: Pick<PodFacts, 'labels' | 'annotations'>): string {
  return labels[injectKey] ?? annotations[injectKey] ?? '';
}

/** Whether pods are in Istio's ambient mode: the pod's own label goes before that of its namespace. */
export function isAmbient(labels: Labels, namespaceLabels: Labels): boolean {
  return (labels[modeKey] ?? namespaceLabels[modeKey]) === 'ambient';
}

/** Why the mesh configuration leaves a pod out that labels select. */
export type Unchosen = 'never-selected' | 'policy';

/** Why the mesh configuration leaves a pod out; undefined: it gets its proxy, if labels select it. */
export function unchosen(pod: Pick<PodFacts, 'labels' | 'annotations'>, choice: InjectionChoice): Unchosen | undefined {
  if (ownWord(pod) === 'true') return undefined;
  const isSelectedBy = (selectors: readonly LabelSelector[]): boolean =>
    selectors.some((selector) => selectsLabels(selector, pod.labels));
  if (isSelectedBy(choice.neverInjectSelector)) return 'never-selected';
  return isSelectedBy(choice.alwaysInjectSelector) || choice.policy === 'enabled' ? undefined : 'policy';
}

/** Whether some control plane with this mesh configuration would add a proxy to the pod. */
export function isInjected(pod: PodFacts, choice: InjectionChoice): boolean {
  return selectionOf(pod).isSelected && unchosen(pod, choice) === undefined;
}

function selected(revision: string): Selection {
  return { isSelected: true, revision };
}

function unselected(reason: Unselected): Selection {
  return { isSelected: false, reason };
}

/** Where an object of pods says that they get no proxy, if it does. */
export function optOutPath({ kind, document: { value } }: MeshObject<string>): JsonPath | undefined {
  const root = kind === 'Pod' ? [] : templatePath(kind);
  for (const field of ['labels', 'annotations']) {
    const path = [...root, 'metadata', field, injectKey];
    const word = valueAt(value, path);
    if (word !== undefined && word !== 'true' && word !== '') return path;
  }
  return undefined;
}

/** Whether an object of pods asks for the network of their node, so that no proxy is injected. */
export function isOnNodeNetwork({ kind, document: { value } }: MeshObject<string>): boolean {
  const root = kind === 'Pod' ? [] : templatePath(kind);
  return valueAt(value, [...root, 'spec', 'hostNetwork']) === true;
}

/** What injection adds: by its templates a gateway's proxy, a sidecar, or no Envoy. */
export function injectedRole({ annotations }: PodFacts): 'router' | 'sidecar' | 'none' {
  const templates = (annotations[templatesKey] ?? '').split(',').map((name) => name.trim());
  if (templates.includes('gateway')) return 'router';
  return templates.every((name) => proxylessTemplates.has(name)) ? 'none' : 'sidecar';
}
