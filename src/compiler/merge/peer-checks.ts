import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { listenedPorts } from './ingress.ts';
import type { PeerIndex } from './peer-index.ts';
import type { SidecarIndex } from './sidecar-index.ts';

/** Whom policies may hold for. */
interface PeerTargets {
  readonly topology: Topology;
  readonly sidecars: SidecarIndex;
  readonly rootNamespace: string;
}

/** Reports policies, and entries of policies, that have no effect because of what else there is. */
export function checkPeers(index: PeerIndex, targets: PeerTargets, bag: DiagnosticBag): void {
  const { topology, sidecars, rootNamespace } = targets;
  for (const policy of index.ineffective) {
    const span = policy.document.spanOf(['spec', 'selector'], 'key');
    bag.report('selector-in-root-namespace', span, { name: nameOf(policy) });
  }
  for (const [namespace, [kept, ...ignored]] of index.wholeNamespaces) {
    const scope = namespace === rootNamespace ? 'the mesh' : `namespace "${namespace}"`;
    for (const policy of kept === undefined ? [] : ignored) {
      const holes = { kind: policy.kind, ignored: nameOf(policy), kept: nameOf(kept as PeerAuthentication), scope };
      bag.report('competing-scope-policies', placeOf(policy), holes, relatedTo(kept as PeerAuthentication));
    }
  }
  checkSelecting(index, topology, sidecars, bag);
}

/** What one selecting policy does: where it is in force, and where another one is, by that one. */
interface Reach {
  readonly held: Workload[];
  readonly lost: Map<PeerAuthentication, Workload[]>;
}

/** The first policy on a workload is in force there, as the index says; the others lose. */
function checkSelecting(index: PeerIndex, topology: Topology, sidecars: SidecarIndex, bag: DiagnosticBag): void {
  const reaches = new Map(index.selecting.map((policy): [PeerAuthentication, Reach] => [policy, nowhere()]));
  if (reaches.size === 0) return;
  for (const workload of topology.workloads) {
    const [kept, ...ignored] = index.levelsOf(workload).workload;
    if (kept === undefined) continue;
    reaches.get(kept)?.held.push(workload);
    for (const policy of ignored) {
      const reach = reaches.get(policy);
      if (reach !== undefined) append(reach.lost, kept, workload);
    }
  }
  for (const [policy, { held, lost }] of reaches) {
    for (const [kept, shared] of lost) {
      const holes = { kind: policy.kind, ignored: nameOf(policy), kept: nameOf(kept), workloads: listOf(shared) };
      bag.report('competing-workload-policies', placeOf(policy), holes, relatedTo(kept));
    }
    checkPorts(policy, held, sidecars, bag);
  }
}

function nowhere(): Reach {
  return { held: [], lost: new Map() };
}

/** Workloads without a proxy accept everything on every port: nothing is lost there. */
function checkPorts(
  policy: PeerAuthentication,
  workloads: readonly Workload[],
  sidecars: SidecarIndex,
  bag: DiagnosticBag,
): void {
  const proxied = workloads.filter((workload) => workload.role !== 'none');
  for (const port of Object.keys(policy.spec.portLevelMtls ?? {})) {
    const without = proxied.filter(
      (workload) => !listenedPorts(workload, sidecars.ingressOf(workload)).has(Number(port)),
    );
    if (without.length === 0) continue;
    const span = policy.document.spanOf(['spec', 'portLevelMtls', port], 'key');
    bag.report('port-without-service', span, { port, workloads: listOf(without) }, { hint: hintOfPort(port, without) });
  }
}

/** The container port behind a service port of that number: no other is proposed, whose mode would be another than it is meant to have. */
function hintOfPort(written: string, workloads: readonly Workload[]): string | undefined {
  const behind = workloads.flatMap(({ targets }) => targets.filter(({ port }) => String(port.number) === written));
  const [port, ...others] = new Set(behind.map(({ targetPort }) => targetPort));
  if (port === undefined || others.length > 0) return undefined;
  return `write ${port}, the container port behind port ${written} of the Service`;
}

function listOf(workloads: readonly Workload[]): string {
  const names = workloads.slice(0, 3).map((workload) => `"${nameOf(workload)}"`);
  const rest = workloads.length - names.length;
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ');
}

function placeOf(policy: PeerAuthentication) {
  return policy.document.spanOf(['metadata', 'name']);
}

function relatedTo(policy: PeerAuthentication) {
  return { related: [{ message: 'the policy that applies', span: placeOf(policy) }] };
}
