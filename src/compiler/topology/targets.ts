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

/**
 * Which service ports each workload serves, one a container port: the oldest service wins. Ready or not makes no
 * difference: the listener must be there before the first request. Services without a selector reach workloads of
 * their own namespace only, so that no other namespace can say what a port of this one speaks.
 */
export function bindTargets(
  services: readonly BoundService[],
  registry: Registry,
  bag: DiagnosticBag,
): Map<WorkloadDraft, ServiceTarget[]> {
  const targets = new Map<WorkloadDraft, Map<number, ServiceTarget>>();
  const conflicts = new Set<string>();
  const add = (workload: WorkloadDraft, target: ServiceTarget): void => {
    const ports = targets.get(workload) ?? new Map<number, ServiceTarget>();
    targets.set(workload, ports);
    const kept = ports.get(target.targetPort);
    if (kept === undefined) ports.set(target.targetPort, target);
    else if (kept.port.protocol !== target.port.protocol) reportConflict(kept, target, workload, conflicts, bag);
  };
  for (const { draft, service, known } of services) {
    if (draft.selector === undefined) bindWritten(service, known, registry, add);
    else bindSelected(draft, service, registry, add);
  }
  return new Map([...targets].map(([workload, ports]) => [workload, [...ports.values()]]));
}

type Add = (workload: WorkloadDraft, target: ServiceTarget) => void;

function bindSelected(draft: ServiceDraft, service: Service, registry: Registry, add: Add): void {
  for (const workload of registry.byLabels.select(service.namespace, draft.selector)) {
    if (!mayServe(draft, workload)) continue;
    for (const port of service.ports.filter(isStream)) {
      const targetPort = containerPort(workload, port, draft.targetPorts.get(port.number));
      if (targetPort !== undefined) add(workload, { service, port, targetPort });
    }
  }
}

function bindWritten(service: Service, known: readonly Endpoint[], registry: Registry, add: Add): void {
  for (const endpoint of known) {
    const reference = endpoint.workload && { kind: 'Pod', ...endpoint.workload };
    const workload = registry.find(service.namespace, endpoint.address, reference);
    // UDP may have the same number; it has no endpoints.
    const port = service.ports.find((it) => it.number === endpoint.servicePort && isStream(it));
    if (workload?.namespace !== service.namespace || port === undefined) continue;
    add(workload, { service, port, targetPort: endpoint.port });
  }
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
