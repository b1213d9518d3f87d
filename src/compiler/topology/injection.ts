import type { JsonPath } from '../../diagnostics/span.ts';
import { valueAt } from '../../lib/value-at.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { PodSpec } from '../../policy/topology-kinds.ts';
import type { Labels } from './selector.ts';

/** Label, and annotation, by which a pod opts in or out. */
export const injectKey = 'sidecar.mesh.io/inject';
/** Label of a namespace that decides for its pods, whatever revision they or it name. */
export const namespaceKey = 'mesh-injection';
/** Label of a namespace or a pod that names the revision of the control plane that injects; here any revision does. */
const revisionKey = 'mesh.io/rev';
/** Of a namespace whose pods are injected. */
export const injectedNamespace: Labels = { [namespaceKey]: 'enabled' };
const templatesKey = 'inject.mesh.io/templates';

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

/**
 * Whether Istio's webhooks would add a proxy to the pod. A pod that says anything but `"true"` by its label, or by
 * its annotation where it has no such label, never gets one; beside that only labels count: those of the namespace where
 * it has any, else the pod's own.
 */
export function isInjected({ namespace, labels, annotations, spec, namespaceLabels }: PodFacts): boolean {
  // A pod on the node's network would redirect the traffic of the whole node.
  if (spec.hostNetwork === true || platformNamespaces.has(namespace)) return false;
  // Any other word than "true" is no: Istio skips the pod too.
  if (!['true', ''].includes(labels[injectKey] ?? annotations[injectKey] ?? '')) return false;
  const ofNamespace = namespaceLabels[namespaceKey];
  if (ofNamespace !== undefined) return ofNamespace === 'enabled';
  if (namespaceLabels[revisionKey] !== undefined) return true;
  return labels[injectKey] === 'true' || labels[revisionKey] !== undefined;
}

/** Where an object of pods says that they get no proxy, if it does. */
export function optOutPath({ kind, document: { value } }: MeshObject<string>): JsonPath | undefined {
  const root = kind === 'Pod' ? [] : ['spec', 'template'];
  for (const field of ['labels', 'annotations']) {
    const path = [...root, 'metadata', field, injectKey];
    const word = valueAt(value, path);
    if (word !== undefined && word !== 'true' && word !== '') return path;
  }
  return undefined;
}

/** What injection adds: by its templates a gateway's proxy, a sidecar, or no Envoy. */
export function injectedRole({ annotations }: PodFacts): 'router' | 'sidecar' | 'none' {
  const templates = (annotations[templatesKey] ?? '').split(',').map((name) => name.trim());
  if (templates.includes('gateway')) return 'router';
  return templates.every((name) => proxylessTemplates.has(name)) ? 'none' : 'sidecar';
}
