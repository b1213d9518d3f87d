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
    for (const workload of snapshot.topology.workloads) {
      if (workload.role !== 'sidecar' || snapshot.effective.authorizationPolicies(workload).length > 0) continue;
      const message = `no AuthorizationPolicy of the input applies to "${workload.namespace}/${workload.name}"`;
      report({ object: workload.object, path: ['metadata', 'name'], message });
    }
  },
};
