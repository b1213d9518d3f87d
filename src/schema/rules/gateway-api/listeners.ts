import type { JsonPath } from '../../../diagnostics/span.ts';
import { type Listener, routeKinds, type StandardGateway } from '../../../policy/gateway-api.ts';
import type { Report, Rule } from '../../rule.ts';
import { checkHostName } from './host-names.ts';

/** Validation of the Gateway of the Gateway API beyond its schema. */
export const standardGatewayRules: readonly Rule<StandardGateway>[] = [checkListeners];

function checkListeners({ spec: { listeners }, document }: StandardGateway, report: Report): void {
  for (const [i, listener] of listeners.entries()) {
    const path: JsonPath = ['spec', 'listeners', i];
    const { name, hostname } = listener;
    if (hostname !== undefined) checkHostName(hostname, [...path, 'hostname'], report);
    const fault = faultOfTls(listener) ?? faultOfKinds(listener) ?? faultBeside(listener, listeners.slice(0, i));
    if (fault !== undefined) {
      const related = [fault.other].flatMap((other) => {
        if (other === undefined) return [];
        const span = document.spanOf(['spec', 'listeners', listeners.indexOf(other), fault.field]);
        return [{ message: 'the other listener is here', span }];
      });
      report('invalid-listener', [...path, fault.field], { name, reason: fault.reason }, { related });
    }
    const { namespaces } = listener.allowedRoutes ?? {};
    const isSelecting = namespaces?.from === 'Selector';
    if (isSelecting !== (namespaces?.selector !== undefined)) {
      const reason = isSelecting
        ? 'allowedRoutes with "from: Selector" need a "selector"'
        : 'allowedRoutes have a "selector", which needs "from: Selector"';
      report('invalid-listener', [...path, 'allowedRoutes', 'namespaces'], { name, reason });
    }
  }
}

interface ListenerFault {
  readonly field: string;
  readonly reason: string;
  /** With which it cannot be served. */
  readonly other?: Listener;
}

function faultOfTls({ protocol, tls }: Listener): ListenerFault | undefined {
  if (protocol === 'HTTP') {
    return tls && { field: 'tls', reason: 'protocol HTTP is plain text and has no "tls"' };
  }
  const { mode = 'Terminate', certificateRefs } = tls ?? {};
  if (protocol === 'TLS') {
    if (mode !== 'Passthrough') {
      const reason = 'protocol TLS needs "tls.mode: Passthrough"; TLS ends at listeners with the protocol HTTPS';
      return { field: 'tls', reason };
    }
    return certificateRefs && { field: 'tls', reason: 'mode Passthrough has no "certificateRefs": TLS goes through' };
  }
  if (mode !== 'Terminate') return { field: 'tls', reason: 'mode Passthrough needs the protocol TLS' };
  return certificateRefs === undefined
    ? { field: 'tls', reason: 'protocol HTTPS needs a Secret in "tls.certificateRefs"' }
    : undefined;
}

function faultOfKinds({ protocol, allowedRoutes }: Listener): ListenerFault | undefined {
  const other = allowedRoutes?.kinds?.find(({ kind }) => !routeKinds[protocol].includes(kind));
  if (other === undefined) return undefined;
  const reason = `listeners with protocol ${protocol} have no ${other.kind}s, expected ${routeKinds[protocol].join(' or ')}`;
  return { field: 'allowedRoutes', reason };
}

/** Listeners of one port are told apart by host name, so they have one protocol. */
function faultBeside(
  { name, port, protocol, hostname }: Listener,
  others: readonly Listener[],
): ListenerFault | undefined {
  const namesake = others.find((other) => other.name === name);
  if (namesake !== undefined) return { field: 'name', reason: 'another listener has that name', other: namesake };
  const beside = others.filter((other) => other.port === port);
  const different = beside.find((other) => other.protocol !== protocol);
  if (different !== undefined) {
    const reason = `listener "${different.name}" uses the port with ${different.protocol}`;
    return { field: 'protocol', reason, other: different };
  }
  const same = beside.find((other) => (other.hostname ?? '').toLowerCase() === (hostname ?? '').toLowerCase());
  return same && { field: 'port', reason: `listener "${same.name}" has the same port and host name`, other: same };
}
