import type { Sidecar } from '../../policy/sidecar.ts';
import type { Report, Rule } from '../rule.ts';

/** Validation of Sidecar beyond its schema. */
export const sidecarRules: readonly Rule<Sidecar>[] = [checkIngressPorts];

function checkIngressPorts({ spec }: Sidecar, report: Report): void {
  const seen = new Set<number>();
  for (const [i, { port, defaultEndpoint = '' }] of (spec.ingress ?? []).entries()) {
    const path = ['spec', 'ingress', i];
    if (seen.has(port.number)) report('repeated-port', [...path, 'port', 'number'], { port: String(port.number) });
    seen.add(port.number);
    const target = /:(\d+)$/.exec(defaultEndpoint)?.[1];
    const isOnLoopback = /^(127\.0\.0\.1|\[::1\]):/.test(defaultEndpoint);
    if (isOnLoopback || target === undefined || Number(target) === port.number) continue;
    const holes = { endpoint: defaultEndpoint, port: String(port.number) };
    report('ingress-endpoint-of-other-port', [...path, 'defaultEndpoint'], holes);
  }
}
