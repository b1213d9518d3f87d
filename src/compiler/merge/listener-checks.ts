import { loopbackPorts, ownPorts } from '../../config/proxy-ports.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import { loopbackEndpoint } from './ingress.ts';

/**
 * Refuses listeners on ports where the proxy itself listens, and ingress listeners that lead there: its surfaces on
 * loopback trust every caller.
 */
export function checkListeners(sidecars: readonly Sidecar[], settings: Settings, bag: DiagnosticBag): void {
  const surfaces = new Map([...ownPorts(settings), ...loopbackPorts(settings)]);
  for (const { spec, document } of sidecars) {
    for (const [i, { port, captureMode }] of (spec.egress ?? []).entries()) {
      const listens = captureMode === 'NONE' && port !== undefined ? surfaces.get(port.number) : undefined;
      if (port === undefined || listens === undefined) continue;
      const span = document.spanOf(['spec', 'egress', i, 'port', 'number']);
      bag.report('sidecar-port-of-proxy', span, { port: String(port.number), what: listens });
    }
    for (const [i, { port, defaultEndpoint }] of (spec.ingress ?? []).entries()) {
      const path = ['spec', 'ingress', i];
      const listens = surfaces.get(port.number);
      if (listens !== undefined) {
        const holes = { port: String(port.number), what: listens };
        bag.report('sidecar-port-of-proxy', document.spanOf([...path, 'port', 'number']), holes);
      }
      const endpoint = loopbackEndpoint(defaultEndpoint);
      const answers = endpoint && surfaces.get(endpoint.port);
      if (endpoint === undefined || answers === undefined) continue;
      const holes = { port: String(endpoint.port), what: answers };
      bag.report('sidecar-port-of-proxy', document.spanOf([...path, 'defaultEndpoint']), holes);
    }
  }
}
