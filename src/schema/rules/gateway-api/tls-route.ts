import type { StandardTlsRoute } from '../../../policy/gateway-api.ts';
import type { Report, Rule } from '../../rule.ts';
import { checkHostNames, checkPort } from './request-rules.ts';

/** Validation of TLSRoute beyond its schema. */
export const tlsRouteRules: readonly Rule<StandardTlsRoute>[] = [checkHostNames, checkBackends];

function checkBackends({ spec }: StandardTlsRoute, report: Report): void {
  for (const [i, { backendRefs }] of spec.rules.entries()) {
    for (const [j, backend] of backendRefs.entries()) {
      checkPort(backend, ['spec', 'rules', i, 'backendRefs', j], report);
    }
  }
}
