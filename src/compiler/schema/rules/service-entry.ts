import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import type { Report, Rule } from '../rule.ts';

/** Validation of ServiceEntry beyond its schema. */
export const serviceEntryRules: readonly Rule<ServiceEntry>[] = [checkPortNames, checkEndpointSources];

function checkPortNames({ spec }: ServiceEntry, report: Report): void {
  const seen = new Set<string>();
  for (const [i, { name }] of (spec.ports ?? []).entries()) {
    if (seen.has(name)) report('duplicate-port-name', ['spec', 'ports', i, 'name'], { name });
    seen.add(name);
  }
}

function checkEndpointSources({ spec }: ServiceEntry, report: Report): void {
  if (spec.workloadSelector === undefined || spec.endpoints === undefined) return;
  const holes = { fields: '"endpoints" and "workloadSelector"', where: 'ServiceEntry spec' };
  report('conflicting-fields', ['spec', 'workloadSelector'], holes, { part: 'key' });
}
