import type { WorkloadGroup } from '../../policy/topology-kinds.ts';
import type { Report, Rule } from '../rule.ts';

/** What a group may say (Istio, WorkloadGroup) and nobody acts on here. */
export const workloadGroupRules: readonly Rule<WorkloadGroup>[] = [warnOfAddress, warnOfProbe];

function warnOfAddress(group: WorkloadGroup, report: Report): void {
  if (group.spec.template.address === undefined) return;
  const why = 'every machine has its own address, which its WorkloadEntry names';
  const path = ['spec', 'template', 'address'];
  report('group-field-without-effect', path, { field: 'template.address', name: nameOf(group), why }, { part: 'key' });
}

function warnOfProbe(group: WorkloadGroup, report: Report): void {
  if (group.spec.probe === undefined) return;
  const why = 'the agent sends no probes; of a WorkloadEntry the condition Healthy counts, if its health is checked';
  report(
    'group-field-without-effect',
    ['spec', 'probe'],
    { field: 'probe', name: nameOf(group), why },
    { part: 'key' },
  );
}

function nameOf({ namespace, name }: WorkloadGroup): string {
  return `${namespace}/${name}`;
}
