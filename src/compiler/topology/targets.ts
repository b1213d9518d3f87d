import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { mayServe } from './endpoints.ts';
import type { Endpoint, Service, ServiceTarget } from './model.ts';
import { nameOf } from './object-name.ts';
import { containerPort, type Registry } from './registry.ts';
import { placeOfPort } from './service-port.ts';
import { isStream, type ServiceDraft } from './services.ts';
import type { WorkloadDraft } from './workloads.ts';

export interface BoundService {
  readonly draft: ServiceDraft;
  readonly service: Service;
  /** Its endpoints, those of known workloads whether they are ready or not. */
  readonly known: readonly Endpoint[];
}

/** What one service wants of one workload. */
export interface Claim {
  readonly workload: WorkloadDraft;
  readonly target: ServiceTarget;
}

/**
 * Which ports of which workloads a service wants. Ready or not makes no difference: the listener must be there before the
 * first request. A service without a selector reaches workloads of its own namespace only, so that no other namespace can
 * say what a port of this one speaks.
 */
export function claimsOf(
  { draft, service, known }: BoundService,
  selected: readonly WorkloadDraft[],
  registry: Registry,
): readonly Claim[] {
  return draft.selector === undefined
    ? writtenClaims(service, known, registry)
    : selected.flatMap((workload) => selectedClaims(draft, service, workload));
}

/** Which service ports each workload serves, one a container port: the claim of the oldest service wins. */
export function bindTargets(
  claims: Iterable<readonly Claim[]>,
  bag: DiagnosticBag,
): ReadonlyMap<WorkloadDraft, readonly ServiceTarget[]> {
  const targets = new Map<WorkloadDraft, Map<number, ServiceTarget>>();
  const conflicts = new Set<string>();
  for (const ofService of claims) {
    for (const { workload, target } of ofService) {
      const ports = targets.get(workload) ?? new Map<number, ServiceTarget>();
      targets.set(workload, ports);
      const kept = ports.get(target.targetPort);
      if (kept === undefined) ports.set(target.targetPort, target);
      else if (kept.port.protocol !== target.port.protocol) reportConflict(kept, target, workload, conflicts, bag);
    }
  }
  return new Map([...targets].map(([workload, ports]) => [workload, [...ports.values()]]));
}

function selectedClaims(draft: ServiceDraft, service: Service, workload: WorkloadDraft): readonly Claim[] {
  if (!mayServe(draft, workload)) return [];
  return service.ports.filter(isStream).flatMap((port) => {
    const targetPort = containerPort(workload, port, draft.targetPorts.get(port.number));
    return targetPort === undefined ? [] : [{ workload, target: { service, port, targetPort } }];
  });
}

function writtenClaims(service: Service, known: readonly Endpoint[], registry: Registry): readonly Claim[] {
  return known.flatMap((endpoint) => {
    const workload = endpoint.workload && registry.get(endpoint.workload);
    // UDP may have the same number; it has no endpoints.
    const port = service.ports.find((it) => it.number === endpoint.servicePort && isStream(it));
    if (workload?.namespace !== service.namespace || port === undefined) return [];
    return [{ workload, target: { service, port, targetPort: endpoint.port } }];
  });
}

/** Two services of one protocol on one port disturb nobody; a second protocol would be served by the first one's chain. */
function reportConflict(
  kept: ServiceTarget,
  dropped: ServiceTarget,
  workload: WorkloadDraft,
  conflicts: Set<string>,
  bag: DiagnosticBag,
): void {
  const key = `${kept.service.host} ${kept.port.number} ${dropped.service.host} ${dropped.port.number}`;
  if (conflicts.has(key)) return;
  conflicts.add(key);
  bag.report(
    'conflicting-target-port',
    spanOfPort(dropped),
    {
      kept: nameOf(kept.service),
      keptProtocol: kept.port.protocol,
      dropped: nameOf(dropped.service),
      droppedProtocol: dropped.port.protocol,
      port: String(kept.targetPort),
      workload: nameOf(workload),
    },
    {
      related: [{ message: 'the first one', span: spanOfPort(kept) }],
    },
  );
}

function spanOfPort({ service, port }: ServiceTarget): SourceSpan {
  const { object, path } = placeOfPort(service, port);
  return object.document.spanOf(path);
}
