import { at, podSpecPath } from '../pod-spec.ts';
import type { Rule } from '../rule.ts';

/** The orchestrator's own, where a pod says nothing. */
const usualGraceSeconds = 30;

/** A proxy that drains is killed with all its connections when the time of its pod is over. */
export const rule: Rule = {
  code: 'drain-longer-than-grace',
  id: 'MP801',
  severity: 'warning',
  category: 'agent',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a proxy whose drain time is longer than the grace period of its pod',
  why: 'the proxy is killed while it drains, and the requests that it is still serving fail',
  hint: 'set "terminationGracePeriodSeconds" of the pod to more than the drain time',
  check({ snapshot, report }) {
    const { proxy } = snapshot.settings;
    const drainSeconds = proxy.terminationDrainDurationMs / 1000;
    if (drainSeconds <= 0) return;
    const proxied = snapshot.topology.workloads.filter(({ role, annotations }) => {
      return role !== 'none' && !annotations['proxy.mesh.io/config']?.includes('terminationDrainDuration');
    });
    for (const object of new Set(proxied.map((workload) => workload.object))) {
      if (object.kind === 'WorkloadEntry' || object.kind === 'WorkloadGroup') continue;
      const path = [...podSpecPath(object), 'terminationGracePeriodSeconds'];
      const own = at(object, path);
      const grace = typeof own === 'number' ? own : usualGraceSeconds;
      // Zero says that nothing is to be waited for.
      if (grace > drainSeconds || grace === 0) continue;
      report({
        object,
        path: own === undefined ? ['metadata', 'name'] : path,
        message: `the pod is killed after ${grace} s, and its proxy drains for ${drainSeconds} s`,
      });
    }
  },
};
