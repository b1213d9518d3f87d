import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { type NearLabel, nearLabel } from '../../compiler/topology/near-labels.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import { valueAt } from '../../lib/value-at.ts';
import { at, podSpecPath } from '../pod-spec.ts';
import type { Rule } from '../rule.ts';

/** Without an AuthorizationPolicy everything is allowed. */
export const rule: Rule = {
  code: 'workload-without-access-rules',
  id: 'MP316',
  peers: ['KIA1301'],
  severity: 'info',
  category: 'authorization',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'WorkloadEntry', 'WorkloadGroup'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a workload to which no access rule applies',
  why: 'every client that can reach it may do everything',
  hint: 'add an ALLOW AuthorizationPolicy for the workload or its namespace',
  check({ snapshot, report }) {
    // Who has no such policy at all has not forgotten a workload.
    if (snapshot.policies.authorizationPolicies.length === 0) return;
    const missed = missedLabels(snapshot);
    for (const workload of snapshot.topology.workloads) {
      const { namespace, labels } = workload;
      // Of a policy that was meant for it and misses it, its selector tells, with the remedy.
      if (Object.entries(labels).some(([key, value]) => missed.has(entryOf(namespace, { key, value })))) continue;
      if (
        workload.role !== 'sidecar' ||
        isTask(workload) ||
        snapshot.effective.authorizationPolicies(workload).length > 0
      )
        continue;
      const message = `no AuthorizationPolicy of the input applies to "${namespace}/${workload.name}"`;
      report({ object: workload.object, path: ['metadata', 'name'], message });
    }
  },
};

/** Whether it runs to its end and says of no port that anybody is to call it there. */
function isTask({ kind, object, targets }: Workload): boolean {
  if (!['Job', 'CronJob', 'ScaledJob'].includes(kind) || targets.length > 0) return false;
  const containers = at(object, [...podSpecPath(object), 'containers']);
  return !Array.isArray(containers) || containers.every((it) => valueAt(it, ['ports', 0]) === undefined);
}

/** Labels that the selectors of policies without a workload were probably meant to name, by namespace. */
function missedLabels({ topology, policies, settings }: Snapshot): ReadonlySet<string> {
  const workloads = workloadsByLabels(topology);
  const missed = new Set<string>();
  for (const { namespace, spec } of policies.authorizationPolicies) {
    const wanted = spec.selector?.matchLabels;
    if (wanted === undefined || namespace === settings.rootNamespace) continue;
    if (workloads.select(namespace, wanted).length > 0) continue;
    const meant = nearLabel(workloads, namespace, wanted);
    if (meant !== undefined) missed.add(entryOf(namespace, meant));
  }
  return missed;
}

function entryOf(namespace: string, { key, value }: NearLabel): string {
  return JSON.stringify([namespace, key, value]);
}
