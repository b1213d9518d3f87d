import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import { declaredPorts, mayListen } from '../routing/declared-ports.ts';
import type { Rule, RuleContext } from '../rule.ts';

const whyNone = 'a port in a rule is compared with the container port, and no connection comes in on this one';
const portFields = /^(ports|notPorts|destination\.port)$/;

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
  judges: 'each',
  since: '0.1.0',
  title: 'a service port in an access rule',
  why: 'a port in a rule is compared with the container port, so no connection has this port',
  hint: 'write the container port',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const ports = rulesOf([policy]).flatMap((at) => placedValues(at, portFields));
      if (ports.length === 0) continue;
      const targets = workloads.flatMap((workload) => workload.targets);
      const ingress = workloads.flatMap((workload) => snapshot.effective.ingress(workload));
      const open = new Set([...targets.map(({ targetPort }) => targetPort), ...ingress.map(({ number }) => number)]);
      for (const { value, path, isNegated } of ports) {
        const named = targets.find(({ port }) => port.number === Number(value));
        if (open.has(Number(value)) || named === undefined) continue;
        const service = `${named.service.namespace}/${named.service.name}`;
        const message = `port ${value} is that of service "${service}": its connections come in on container port ${named.targetPort}`;
        report({
          object: policy,
          path,
          message,
          why: whyIdle(policy, isNegated, whyNone),
          hint: `write "${named.targetPort}"`,
        });
      }
    }
    const inForce = workloadsByPolicy(snapshot);
    for (const policy of snapshot.policies.authorizationPolicies) {
      if (!inForce.has(policy)) checkAlone(policy, { snapshot, report });
    }
  },
};

/** The same where the input has the Service, and none of its workloads. */
function checkAlone(policy: AuthorizationPolicy, { snapshot, report }: Pick<RuleContext, 'snapshot' | 'report'>): void {
  const values = rulesOf([policy]).flatMap((at) => placedValues(at, portFields));
  const declared = values.length === 0 ? [] : declaredPorts(policy, snapshot);
  for (const { value, path, isNegated } of declared.length === 0 ? [] : values) {
    const named = declared.find(({ port }) => port.number === Number(value));
    if (named === undefined || mayListen(Number(value), policy, snapshot)) continue;
    const message = `port ${value} is that of service "${named.service}": its connections come in on container port ${named.targetPort}`;
    report({
      object: policy,
      path,
      message,
      why: whyIdle(policy, isNegated, whyNone),
      hint: `write "${named.targetPort}"`,
    });
  }
}
