import type { Settings } from '../../../config/settings.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import { type EgressListener, importsService } from '../../merge/egress.ts';
import type { ServicePort } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { listenerName } from '../names.ts';
import { type Placement, placements, tcpMatch } from './placement.ts';

/**
 * Where all listeners of one service stand. A service that no listener of a Sidecar imports has none: the proxy calls it by
 * itself. A port that a redirected listener names is listened on for that listener's services alone.
 */
export function servicePlacements(
  outbound: EffectiveOutbound,
  scope: ClientScope,
  settings: Settings,
): readonly Placement[] {
  const { egress, namespace } = scope;
  const { service } = outbound;
  if (egress === undefined) return service.ports.flatMap((port) => placements(outbound, port, scope, settings));
  const taken = new Set(egress.flatMap(({ port, address }) => (address === undefined && port ? [port.number] : [])));
  return egress
    .filter((listener) => importsService(listener, service, namespace))
    .flatMap((listener) =>
      service.ports
        .filter(({ number }) => (listener.port ? number === listener.port.number : !taken.has(number)))
        .flatMap((port) => listenerPlacements(listener, { outbound, port }, scope, settings)),
    );
}

function listenerPlacements(
  listener: EgressListener,
  { outbound, port: declared }: { readonly outbound: EffectiveOutbound; readonly port: ServicePort },
  scope: ClientScope,
  settings: Settings,
): readonly Placement[] {
  const port = asListened(declared, listener, settings);
  const { address, isBound } = listener;
  if (address === undefined) return placements(outbound, port, scope, settings);
  const listened = protocolClass(port.protocol, settings.sniffOutbound);
  if (listened === 'none') return [];
  const base = { outbound, port, address, notForAddress: undefined, ...(isBound ? { isBound } : {}) };
  const routes = `listener.${listenerName(address, port.number)}`;
  if (listened === 'http') return [{ ...base, routes, tcp: undefined }];
  return [{ ...base, routes: undefined, tcp: tcpMatch(outbound.service, port) }];
}

/** The listener decides what is done with the bytes; a service's own protocol is kept where both mean the same by that. */
function asListened(port: ServicePort, { port: asked }: EgressListener, settings: Settings): ServicePort {
  if (asked === undefined || port.protocol === 'udp') return port;
  const classOf = (protocol: ServicePort['protocol']) => protocolClass(protocol, settings.sniffOutbound);
  return classOf(asked.protocol) === classOf(port.protocol) ? port : { ...port, protocol: asked.protocol };
}
