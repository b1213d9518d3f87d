import { selectionOf, type Unchosen, type Unselected, unchosen } from '../compiler/topology/injection.ts';
import type { InjectionChoice } from '../config/settings.ts';
import { annotationsOf, type InjectionTarget, isObject, labelsOf, ourLabels, type PodObject } from './pod.ts';

/** Which pods a control plane injects, beside what labels ask for. */
export interface InjectionPolicy extends InjectionChoice {
  /** Of the control plane: pods and namespaces that name another one are left to it. */
  readonly revision: string;
  /** Namespaces of the control plane itself. */
  readonly ownNamespaces: readonly string[];
}

export type SkipReason = Unselected | Unchosen | 'own-namespace' | 'other-system' | 'other-revision';

export type Decision = { readonly isInjected: true } | { readonly isInjected: false; readonly reason: SkipReason };

/** What each reason says, for messages. */
export const skipTexts: Readonly<Record<SkipReason, string>> = {
  'host-network': "the pod is on its node's network",
  'platform-namespace': 'the namespace is one of the platform',
  'own-namespace': 'the namespace is that of the control plane',
  'other-system': 'the pod does not run on Linux',
  'opted-out': 'the pod says so by its label or annotation sidecar.mesh.io/inject',
  'namespace-opted-out': 'the label mesh-injection of the namespace says so',
  'not-asked-for': 'no label of the namespace or of the pod asks for a proxy',
  'other-revision': 'another revision of the control plane injects it',
  'never-selected': 'neverInjectSelector selects it',
  policy: 'the policy is disabled, and the pod does not ask for a proxy itself',
};

/**
 * Whether the pod gets a proxy. What never does comes first; then labels select the pod for a revision, as the compiler
 * reads them (`selectionOf`); of the pods of this revision those get one that say so themselves, then selectors decide, then
 * the policy.
 */
export function decide(target: InjectionTarget, policy: InjectionPolicy): Decision {
  const { pod, namespace } = target;
  if (policy.ownNamespaces.includes(namespace)) return skipped('own-namespace');
  const labels = labelsOf(pod);
  const annotations = annotationsOf(pod);
  const namespaceLabels = ourLabels(target.namespaceLabels);
  const hostNetwork = pod.spec.hostNetwork === true;
  const selection = selectionOf({ namespace, labels, annotations, namespaceLabels, spec: { hostNetwork } });
  if (!selection.isSelected) return skipped(selection.reason);
  if (isOfWindows(pod)) return skipped('other-system');
  if (selection.revision !== policy.revision) return skipped('other-revision');
  const reason = unchosen({ labels, annotations }, policy);
  return reason === undefined ? injected : skipped(reason);
}

/** By the field for it, or by the nodes that the pod asks for, as before there was the field. */
function isOfWindows({ spec: { os, nodeSelector } }: PodObject): boolean {
  if (isObject(os) && os.name === 'windows') return true;
  const selected = isObject(nodeSelector) ? nodeSelector : {};
  return (selected['kubernetes.io/os'] ?? selected['beta.kubernetes.io/os']) === 'windows';
}

const injected: Decision = { isInjected: true };

function skipped(reason: SkipReason): Decision {
  return { isInjected: false, reason };
}
