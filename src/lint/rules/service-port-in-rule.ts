import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Proxies see container ports; the number of a service port matches nothing where the two differ. */
export const rule: Rule = {
  code: 'service-port-in-rule',
  id: 'MP608',
  severity: 'warning',
  category: 'matching',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a service port in an access rule',
  why: 'a port in a rule is compared with the container port, so this one matches no connection',
  hint: 'write the container port',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const ports = rulesOf([policy]).flatMap((at) => placedValues(at, /^(ports|notPorts|destination\.port)$/));
      if (ports.length === 0) continue;
      const targets = workloads.flatMap((workload) => workload.targets);
      const open = new Set(targets.map(({ targetPort }) => targetPort));
      for (const { value, path } of ports) {
        const named = targets.find(({ port }) => port.number === Number(value));
        if (open.has(Number(value)) || named === undefined) continue;
        const service = `${named.service.namespace}/${named.service.name}`;
        const message = `port ${value} is that of service "${service}": its connections come in on container port ${named.targetPort}`;
        report({ object: policy, path, message, hint: `write ${named.targetPort}` });
      }
    }
  },
};
