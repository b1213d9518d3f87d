import type { DiagnosticBag, RelatedPlace } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { KnownNames } from '../../lib/known-names.ts';
import { nearest } from '../../lib/nearest.ts';
import { valueAt } from '../../lib/value-at.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { MeshObject, WorkloadSelector } from '../../policy/object.ts';
import type { BoundTarget } from '../../policy/policy-target.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { isAmbient, isOnNodeNetwork, optOutPath } from '../topology/injection.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { misspeltLabelHint, nearLabelHint, otherValuesHint } from '../topology/near-labels.ts';
import { misspeltNamespace, nearNamespace } from '../topology/near-namespace.ts';
import { nameOf } from '../topology/object-name.ts';
import { hasLabels, type Labels, selects } from '../topology/selector.ts';
import { isOfUnseenWorkloads } from '../topology/unseen-namespace.ts';
import { workloadsByLabels } from '../topology/workload-index.ts';
import { checkTarget } from './target-checks.ts';

type Selecting = MeshObject<string> & {
  readonly spec: { readonly selector?: WorkloadSelector };
  readonly target?: BoundTarget;
};

/** Where policies may be active, and for which of them a lack of effect is reported. */
export interface Reach {
  readonly topology: Topology;
  readonly rootNamespace: string;
  /** Of this namespace and the root namespace alone; undefined: of all. */
  readonly toldNamespace: string | undefined;
}

/** Why a policy applies to no workload, and what to do about it. */
interface Nowhere {
  readonly why: string;
  readonly hint?: string | undefined;
  /** Of what is to be changed, where that is not the name. */
  readonly path?: JsonPath;
  readonly isUnseen?: boolean;
  readonly related?: readonly RelatedPlace[];
}

const howToInject =
  'label the namespace mesh-injection: enabled, and remove sidecar.mesh.io/inject: "false" from its pods';

const howToLeaveNode =
  'no proxy is injected into pods with the network of their node: remove hostNetwork from the pods, or this object';

/** Reports policies that hold for no proxy: a mistyped namespace or label leaves its workloads as open as they were. */
export function checkReach(policies: readonly Selecting[], reach: Reach, bag: DiagnosticBag): void {
  for (const policy of policies) {
    if (!isTold(policy, reach)) continue;
    if (policy.target !== undefined) {
      checkTarget(policy, policy.target, reach.topology, bag);
      continue;
    }
    const nowhere = hasLabels(policy.spec.selector) ? ofSelector(policy, reach, bag) : ofWhole(policy, reach);
    if (nowhere !== undefined) reportNowhere(policy, nowhere, bag);
  }
}

/** The same for objects without a selector alone. */
export function checkWholeReach(objects: readonly MeshObject<string>[], reach: Reach, bag: DiagnosticBag): void {
  for (const object of objects) {
    const nowhere = isTold(object, reach) ? ofWhole(object, reach) : undefined;
    if (nowhere !== undefined) reportNowhere(object, nowhere, bag);
  }
}

/** Reports rules, routes and entries that are exported to namespaces that there are not. */
export function checkExports(
  policies: readonly (DestinationRule | VirtualService | ServiceEntry)[],
  reach: Reach,
  bag: DiagnosticBag,
): void {
  const { namespaces } = reach.topology;
  for (const policy of policies) {
    const { exportTo = [] } = policy.spec;
    const isNamed = (name: string): boolean => !['*', '.', '~'].includes(name) && !namespaces.has(name);
    if (exportTo.length === 0 || !exportTo.every(isNamed) || !isTold(policy, reach)) continue;
    const why = `there is no namespace ${exportTo.map((name) => `"${name}"`).join(', ')}, to which it is exported`;
    const guess = nearNamespace(exportTo[0] ?? '', reach.topology);
    const hint = guess && `did you mean "${guess}"?`;
    const isUnseen = exportTo.every((name) => misspeltNamespace(name, reach.topology) === undefined);
    reportNowhere(policy, { why, hint, isUnseen, path: ['spec', 'exportTo', 0] }, bag);
  }
}

/** Whether mistakes of an object are reported. */
export function isTold(
  { namespace }: MeshObject<string>,
  { toldNamespace, rootNamespace }: Pick<Reach, 'toldNamespace' | 'rootNamespace'>,
): boolean {
  return toldNamespace === undefined || namespace === toldNamespace || namespace === rootNamespace;
}

function ofWhole({ namespace }: MeshObject<string>, reach: Reach): Nowhere | undefined {
  if (namespace !== reach.rootNamespace) return ofNamespace(namespace, reach);
  if (reach.topology.workloads.some(isProxied)) return undefined;
  const why = 'no workload of the mesh has a proxy';
  return {
    ...(ofAmbient(why, reach.topology.workloads, reach.topology) ?? { why, hint: howToInject }),
    isUnseen: true,
  };
}

function ofNamespace(namespace: string, { topology, rootNamespace }: Reach): Nowhere | undefined {
  const proxied = proxiedIn(topology).get(namespace);
  if (proxied === 0) {
    const workloads = workloadsByLabels(topology).select(namespace, undefined);
    const isUnseen = topology.unseenIn.has(namespace);
    return { ...withoutProxy(`no workload of namespace "${namespace}" has a proxy`, workloads, topology), isUnseen };
  }
  if (proxied !== undefined) return undefined;
  if (topology.namespaces.has(namespace))
    return { why: `there is no workload in namespace "${namespace}"`, isUnseen: true };
  const near = nearNamespace(namespace, topology);
  const guess = nearest(namespace, near === undefined ? [rootNamespace] : [near, rootNamespace]);
  const hint = guess === undefined ? undefined : `did you mean "${guess}"?`;
  const meant = misspeltNamespace(namespace, topology) ?? new KnownNames([rootNamespace]).meantBy(namespace);
  return {
    why: `there is no namespace "${namespace}"`,
    hint,
    path: ['metadata', 'namespace'],
    isUnseen: meant === undefined,
  };
}

/**
 * A selector of the root namespace looks in all of them, but for mutual TLS, of which other checks tell, and for
 * ProxyConfigs, whose selectors look in their own namespace.
 */
function ofSelector(policy: Selecting, reach: Reach, bag: DiagnosticBag): Nowhere | undefined {
  const { document, kind, namespace, spec } = policy;
  const { topology, rootNamespace } = reach;
  const isRoot = namespace === rootNamespace && kind !== 'ProxyConfig';
  if (isRoot && kind === 'PeerAuthentication') return undefined;
  const wanted = spec.selector?.matchLabels;
  const selected = isRoot
    ? topology.workloads.filter(({ labels }) => selects(wanted, labels))
    : workloadsByLabels(topology).select(namespace, wanted);
  if (selected.some(isProxied)) return undefined;
  if (selected.length > 0) {
    return withoutProxy('no workload that its selector matches has a proxy', selected, topology);
  }
  if (kind === 'ProxyConfig' && namespace === rootNamespace) return ofRootSelector;
  const nowhere = isRoot ? ofWhole(policy, reach) : ofNamespace(namespace, reach);
  if (nowhere !== undefined) return nowhere;
  const span = document.spanOf(['spec', 'selector'], 'key');
  const hint = isRoot
    ? misspeltLabelHint(topology.workloads, wanted ?? {})
    : nearLabelHint(workloadsByLabels(topology), namespace, wanted ?? {});
  // Gateways above all are seldom kept beside the applications, and may run in any namespace.
  const isUnseen = hint === undefined && (isRoot || topology.unseenIn.has(namespace));
  const others = isRoot ? undefined : otherValuesHint(workloadsByLabels(topology), namespace, wanted ?? {});
  bag.report('selector-without-workload', span, { kind, name: nameOf(policy) }, { hint: hint ?? others, isUnseen });
  return undefined;
}

/** Reports a `workloadSelector` that looks for workloads in the namespace of its object, and finds none with a proxy. */
export function checkWorkloadSelector(
  object: MeshObject<string>,
  wanted: Labels,
  { topology }: Pick<Reach, 'topology'>,
  bag: DiagnosticBag,
): void {
  const { document, kind, namespace } = object;
  const selected = workloadsByLabels(topology).select(namespace, wanted);
  if (selected.some(isProxied)) return;
  if (selected.length > 0) {
    reportNowhere(object, withoutProxy('no workload that its selector matches has a proxy', selected, topology), bag);
    return;
  }
  const hint = nearLabelHint(workloadsByLabels(topology), namespace, wanted);
  const isUnseen = hint === undefined && isOfUnseenWorkloads(namespace, topology);
  const span = document.spanOf(['spec', 'workloadSelector'], 'key');
  const others = otherValuesHint(workloadsByLabels(topology), namespace, wanted);
  bag.report('selector-without-workload', span, { kind, name: nameOf(object) }, { hint: hint ?? others, isUnseen });
}

const howToLeaveAmbient = 'leave out the files of ambient mode with --exclude or .meshpolignore';

/** Of workloads that are in ambient mode, if any is: the advice to have proxies injected would take them out of it. */
function ofAmbient(why: string, workloads: readonly Workload[], { namespaces }: Topology): Nowhere | undefined {
  const isOfAmbient = workloads.some(({ namespace, labels }) => isAmbient(labels, namespaces.get(namespace) ?? {}));
  if (!isOfAmbient) return undefined;
  return { why: `${why}, and their ambient mode is not supported here`, hint: howToLeaveAmbient };
}

/** With the label or annotation of the first workload that switches its proxy off. */
function withoutProxy(why: string, workloads: readonly Workload[], topology: Topology): Nowhere {
  const ambient = ofAmbient(why, workloads, topology);
  if (ambient !== undefined) return ambient;
  for (const { object } of workloads) {
    const path = optOutPath(object);
    if (path === undefined) continue;
    const hint = `remove sidecar.mesh.io/inject: "${valueAt(object.document.value, path)}" from the pods`;
    return { why, hint, related: [{ message: 'this switches the proxy off', span: object.document.spanOf(path) }] };
  }
  const isOfNode = workloads.every(({ object }) => isOnNodeNetwork(object));
  return { why, hint: isOfNode ? howToLeaveNode : howToInject };
}

/** Who writes one means the mesh. */
const ofRootSelector: Nowhere = {
  why: 'its selector looks for workloads in the root namespace alone, and matches none with a proxy there',
  hint: 'move it to the namespace of the workloads, or remove its selector',
};

function reportNowhere(
  policy: MeshObject<string>,
  { why, hint, path = ['metadata', 'name'], isUnseen = false, related = [] }: Nowhere,
  bag: DiagnosticBag,
): void {
  const { document, kind } = policy;
  bag.report(
    'policy-in-force-nowhere',
    document.spanOf(path),
    { kind, name: nameOf(policy), why },
    { hint, isUnseen, related },
  );
}

/** Made once a topology: compiling again looks at the policies alone. */
const counted = new WeakMap<Topology['workloads'], ReadonlyMap<string, number>>();

/** Workloads that have a proxy, by namespace; every namespace that has a workload is there. */
function proxiedIn(topology: Topology): ReadonlyMap<string, number> {
  const known = counted.get(topology.workloads);
  if (known !== undefined) return known;
  const proxied = new Map<string, number>();
  for (const workload of topology.workloads) {
    const { namespace } = workload;
    proxied.set(namespace, (proxied.get(namespace) ?? 0) + (isProxied(workload) ? 1 : 0));
  }
  counted.set(topology.workloads, proxied);
  return proxied;
}

function isProxied({ role }: Workload): boolean {
  return role !== 'none';
}
