import type { DiagnosticBag, ReportExtras } from '../../diagnostics/bag.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import { resolveShortName, subsetOf } from '../topology/host.ts';
import type { Topology } from '../topology/model.ts';
import { misspeltNamespace, nearNamespace } from '../topology/near-namespace.ts';
import { isVisible } from '../topology/visibility.ts';
import { isTold, type Reach } from './reach-checks.ts';
import { serviceIndex } from './service-index.ts';
import type { VirtualServiceIndex } from './virtual-service-index.ts';

/** What entries of `egress` are compared with. */
export interface EgressTargets extends Reach {
  readonly routes: VirtualServiceIndex;
  readonly clusterDomain: string;
}

/** Why an entry imports nothing. */
interface Nothing extends ReportExtras {
  readonly why: string;
}

/** Reports entries of `egress` for which there is neither a service nor a VirtualService. */
export function checkEgress(sidecars: readonly Sidecar[], targets: EgressTargets, bag: DiagnosticBag): void {
  for (const sidecar of sidecars) {
    if (!isTold(sidecar, targets)) continue;
    for (const [i, { hosts }] of (sidecar.spec.egress ?? []).entries()) {
      for (const [j, entry] of hosts.entries()) {
        const { why, ...extras } = nothingOf(entry, sidecar, targets) ?? {};
        if (why === undefined) continue;
        const span = sidecar.document.spanOf(['spec', 'egress', i, 'hosts', j]);
        bag.report('egress-host-without-service', span, { entry, why }, extras);
      }
    }
  }
}

/** Nearly every Sidecar names one of them, whether or not there is a service. */
const rootNamespaces: ReadonlySet<string> = new Set(['istio-system', 'mesh-system']);

function nothingOf(entry: string, sidecar: Sidecar, targets: EgressTargets): Nothing | undefined {
  const { topology, rootNamespace } = targets;
  const [wanted = '', host = ''] = entry.toLowerCase().split('/');
  // In the root namespace each namespace has its own services in mind.
  const isForAll = sidecar.namespace === rootNamespace && wanted === '.';
  if (wanted === '~' || isForAll || (host === '*' && wanted === '*')) return undefined;
  const namespace = wanted === '.' ? sidecar.namespace : wanted;
  if (namespace !== '*' && !topology.namespaces.has(namespace)) {
    return rootNamespaces.has(namespace) ? undefined : ofNamespace(namespace, topology);
  }
  if (host === '*') return undefined;
  return ofHost({ namespace, host }, sidecar, targets);
}

function ofNamespace(namespace: string, topology: Topology): Nothing {
  const guess = nearNamespace(namespace, topology);
  const hint = guess && `did you mean "${guess}"?`;
  const isUnseen = misspeltNamespace(namespace, topology) === undefined;
  return { why: `there is no namespace "${namespace}"`, hint, isUnseen };
}

function ofHost(
  wanted: { readonly namespace: string; readonly host: string },
  sidecar: Sidecar,
  { topology, rootNamespace, routes, clusterDomain }: EgressTargets,
): Nothing | undefined {
  const { namespace, host } = wanted;
  const index = serviceIndex(topology);
  const isOf = (owner: string): boolean => namespace === '*' || namespace === owner;
  const found = index.namesFor(wanted).filter((it) => isOf(it.namespace) && subsetOf(it.host, host));
  const where = namespace === '*' ? 'no service' : `no service of namespace "${namespace}"`;
  if (found.length === 0) {
    if (routes.hasHost(wanted)) return undefined;
    const full = resolveShortName(host, namespace, clusterDomain);
    const guess = index.namesFor({ namespace, host: full }).some((it) => isOf(it.namespace))
      ? full
      : index.nearHost(wanted);
    const hint = guess && `did you mean "${guess}"?`;
    return { why: `${where} has the host "${host}"`, hint, isUnseen: guess === undefined };
  }
  if (sidecar.namespace === rootNamespace) return undefined;
  if (found.some(({ exportTo, namespace: owner }) => isVisible(exportTo, owner, sidecar.namespace))) return undefined;
  const hint = `name namespace "${sidecar.namespace}" in "exportTo" of the service`;
  return { why: `"${host}" is not exported to namespace "${sidecar.namespace}"`, hint };
}
