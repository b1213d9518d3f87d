import type { Sidecar } from '../../policy/sidecar.ts';
import type { Report, Rule } from '../rule.ts';

/** Validation of Sidecar beyond its schema. */
export const sidecarRules: readonly Rule<Sidecar>[] = [checkEgressListeners, checkIngressPorts];

/** A listener that is not redirected to would serve whoever reaches its address with the identity of the workload. */
function checkEgressListeners({ spec }: Sidecar, report: Report): void {
  const seen = new Set<string>();
  for (const [i, { port, bind, captureMode }] of (spec.egress ?? []).entries()) {
    const path = ['spec', 'egress', i];
    const isBound = captureMode === 'NONE';
    if (port === undefined) {
      if (bind !== undefined) report('listener-without-port', [...path, 'bind'], { field: 'bind' });
      if (isBound) report('listener-without-port', [...path, 'captureMode'], { field: 'captureMode: NONE' });
      continue;
    }
    if (isBound && bind !== undefined && !isLoopback(bind)) report('bind-beyond-loopback', [...path, 'bind'], { bind });
    const key = `${port.number} ${bind ?? ''} ${isBound}`;
    if (seen.has(key)) report('repeated-port', [...path, 'port', 'number'], { port: String(port.number) });
    seen.add(key);
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

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
