import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Service, ServicePort } from './model.ts';

/** Where a port of a service is written: the object that declares it, and the path of its entry there. */
export function placeOfPort(
  service: Service,
  port: ServicePort,
): { readonly object: MeshObject<string>; readonly path: JsonPath } {
  const { object, index } = port.declaredBy ?? { object: service.object, index: service.ports.indexOf(port) };
  return { object, path: index < 0 ? ['spec', 'ports'] : ['spec', 'ports', index] };
}
