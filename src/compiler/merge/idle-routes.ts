import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { boundGateways } from '../topology/gateway-name.ts';
import { resolveShortName } from '../topology/host.ts';
import type { ServicePort } from '../topology/model.ts';
import { protocolClass } from '../topology/protocol.ts';
import { hintOfPort } from './meant-port.ts';
import type { ServiceHosts } from './service-hosts.ts';

const kinds = ['http', 'tls', 'tcp'] as const;
type RouteKind = (typeof kinds)[number];

/**
 * Tells which routes of sidecars take effect on no port of the services they are for: those of another protocol, and those
 * for a port that none of the services has. Objects that gateways have too are left alone: their ports are other ones.
 */
export function reportIdleRoutes(
  virtualService: VirtualService,
  serviceHosts: ServiceHosts,
  settings: Settings,
  bag: DiagnosticBag,
): void {
  const { spec, namespace, document } = virtualService;
  if (boundGateways(spec.gateways, namespace).some((gateway) => gateway !== 'mesh')) return;
  const hosts = (spec.hosts ?? []).map((host) => resolveShortName(host, namespace, settings.clusterDomain));
  const found = hosts.map((host) => serviceHosts.under(host));
  // Of a host without a service it is not known which ports it has.
  if (found.length === 0 || found.some((services) => services.length === 0)) return;
  const services = found.flat();
  const ports = services.flatMap((service) => service.ports.filter(({ protocol }) => protocol !== 'udp'));
  for (const kind of kinds) {
    const warn = (path: JsonPath, why: string, hint?: string): void => {
      const isMatch = path.length > 0;
      const span = document.spanOf(['spec', kind, ...path], isMatch ? 'value' : 'key');
      const named = `${kind} routes for ${hosts.map((host) => `"${host}"`).join(', ')}`;
      const routes = isMatch ? `this match in the ${named}` : named;
      bag.report('routes-without-port', span, { routes, have: isMatch ? 'has' : 'have', why }, { hint });
    };
    if ((spec[kind] ?? []).length === 0) continue;
    if (!ports.some((port) => takes(port, kind, settings))) {
      warn([], `its ports are ${described(ports)}`);
      continue;
    }
    for (const { number, path } of matchedPorts(virtualService, kind)) {
      const named = ports.filter((port) => port.number === number);
      if (named.length === 0) {
        const why = `port ${number} is none of its ports, which are ${described(ports)}`;
        warn(path, why, hintOfPort(services, number));
      } else if (!named.some((port) => takes(port, kind, settings))) warn(path, `its port is ${described(named)}`);
    }
  }
}

/** Whether connections of a port are looked at by routes of a kind. */
function takes({ protocol }: ServicePort, kind: RouteKind, { sniffOutbound }: Settings): boolean {
  const listened = protocolClass(protocol, sniffOutbound);
  if (kind === 'http') return listened === 'http' || listened === 'auto';
  if (kind === 'tcp') return listened === 'tcp' || listened === 'auto';
  return protocol === 'tls' || protocol === 'https' || protocol === 'auto';
}

function described(ports: readonly ServicePort[]): string {
  const texts = ports.map(({ number, protocol }) => `${number} (${protocol === 'auto' ? 'detected' : protocol})`);
  return [...new Set(texts)].join(', ') || 'none';
}

function matchedPorts({ spec }: VirtualService, kind: RouteKind): { number: number; path: JsonPath }[] {
  return (spec[kind] ?? []).flatMap(({ match = [] }, i) =>
    match.flatMap(({ port }, j) => (port === undefined ? [] : [{ number: port, path: [i, 'match', j, 'port'] }])),
  );
}
