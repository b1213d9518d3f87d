import { classStatus } from './class-status.ts';
import { gatewayStatus } from './gateway-status.ts';
import { routeStatus } from './route-status.ts';
import type { StandardMesh } from './standard-mesh.ts';
import type { StandardStatus } from './standard-status.ts';
import type { StandardSubject } from './standard-subject.ts';

/** The status that an object of the Gateway API should have; undefined: nothing is written. */
export function standardStatusOf(subject: StandardSubject, mesh: StandardMesh): StandardStatus | undefined {
  switch (subject.kind) {
    case 'GatewayClass':
      return classStatus(subject);
    case 'Gateway':
      return gatewayStatus(subject, mesh);
    case 'HTTPRoute':
    case 'GRPCRoute':
    case 'TLSRoute':
      return routeStatus(subject, mesh);
    default:
      return undefined;
  }
}
