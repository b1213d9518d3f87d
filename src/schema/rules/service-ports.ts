import type { Service, ServiceEntry } from '../../policy/topology-kinds.ts';
import type { Report } from '../rule.ts';

/**
 * Warns of a service that nothing can be routed to. A headless Service gives names to pods, and an ExternalName a name to
 * a name: both may do so without ports.
 */
export function checkPorts(object: Service | ServiceEntry, report: Report): void {
  const { kind, namespace, name, spec } = object;
  if ((spec.ports ?? []).length > 0 || (kind === 'Service' && namesAlone(object))) return;
  report('service-without-ports', ['metadata', 'name'], { kind, name: `${namespace}/${name}` });
}

function namesAlone({ spec }: Service): boolean {
  return spec.type === 'ExternalName' || spec.clusterIP === 'None';
}
