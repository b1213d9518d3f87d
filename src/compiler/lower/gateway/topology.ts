import { type GatewayTopology, readGatewayTopology } from '../../../config/gateway-topology.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { validateConfiguration } from '../../../schema/validate-configuration.ts';
import type { JsonObject, JsonValue } from '../../../source/document.ts';
import { parse } from '../../../source/parse.ts';
import type { Workload } from '../../topology/model.ts';
import { nameOf } from '../../topology/object-name.ts';
import { annotationSpan, configAnnotation, reportFault } from '../annotated-config.ts';

/** Values of forwardClientCertDetails under which a client's own header goes on as it is. */
const believing: ReadonlySet<string> = new Set(['FORWARD_ONLY', 'ALWAYS_FORWARD_ONLY']);

/**
 * The proxies in front of this gateway, from the ProxyConfig in its pod's annotation, else from the settings. An annotation
 * that cannot be read is an error, because it may say which headers of clients to trust.
 */
export function gatewayTopologyOf(workload: Workload, settings: Settings, bag: DiagnosticBag): GatewayTopology {
  const span = annotationSpan(workload);
  const own = ofAnnotation(workload, bag);
  const topology = own === undefined ? settings.proxy.gatewayTopology : readGatewayTopology(own);
  if (believing.has(topology.forwardedCertificate)) {
    const origin = settings.origins['proxy.gatewayTopology']?.detail ?? 'the default';
    bag.report('client-certificate-header-believed', own === undefined ? undefined : span, {
      workload: nameOf(workload),
      value: topology.forwardedCertificate,
      origin: own === undefined ? origin : `annotation ${configAnnotation}`,
    });
  }
  return topology;
}

/** Reports what stands in front of a proxy that is no gateway: its callers are the workloads themselves. */
export function warnOfTopologyAtSidecar(workload: Workload, settings: Settings, bag: DiagnosticBag): void {
  const isAnnotated = ofAnnotation(workload, new DiagnosticBag()) !== undefined;
  const origin = settings.origins['proxy.gatewayTopology'];
  // The mesh configuration speaks of all gateways: that sidecars leave it alone is what it means.
  const isSaidOfOwn = origin?.source === 'annotation' || origin?.source === 'variable';
  if (!isAnnotated && !isSaidOfOwn) return;
  bag.report('gateway-topology-at-sidecar', isAnnotated ? annotationSpan(workload) : undefined, {
    workload: nameOf(workload),
    origin: isAnnotated ? `annotation ${configAnnotation}` : (origin?.detail ?? ''),
  });
}

/** `gatewayTopology` of the annotation, checked; undefined where it says nothing of it, or has a mistake. */
function ofAnnotation(workload: Workload, bag: DiagnosticBag): JsonObject | undefined {
  const text = workload.annotations[configAnnotation];
  if (text === undefined || text.trim() === '') return undefined;
  const own = new DiagnosticBag();
  const [document, second] = parse([{ path: `annotation ${configAnnotation}`, text }], own);
  if (second !== undefined) own.report('second-document', second.start, { what: 'the proxy configuration' });
  const value: JsonValue | undefined = document?.value.gatewayTopology;
  if (document !== undefined && value !== undefined && value !== null) {
    validateConfiguration(
      'ProxyConfig',
      { file: document.file, start: document.start, value: { gatewayTopology: value }, spanOf: () => document.start },
      own,
    );
  }
  if (own.hasErrors) {
    reportFault(workload, own, bag);
    return undefined;
  }
  return (value ?? undefined) as JsonObject | undefined;
}
