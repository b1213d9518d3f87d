import type { DiagnosticCode } from '../../diagnostics/registry.ts';

/** What is said because the topology, or another policy, is not there; of a part of a mesh it would be said of all. */
const ofAbsence: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'connections-without-service',
  'egress-host-without-service',
  'gateway-not-served',
  'gateway-without-workload',
  'host-without-service',
  'policy-in-force-nowhere',
  'port-without-service',
  'route-not-attached',
  'selector-without-workload',
  'service-without-endpoints',
  'target-without-effect',
  'target-without-service',
  'unknown-destination',
  'unknown-gateway',
  'unknown-host',
  'unknown-workload-group',
  'unusable-backend',
]);

/** Whether a diagnostic rests on something that the input does not have. */
export function isOfAbsence(code: DiagnosticCode): boolean {
  return ofAbsence.has(code);
}
