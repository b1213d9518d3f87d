import { standardGroup } from '../../policy/gateway-api.ts';
import { type BoundPolicy, targetsOf } from '../../policy/policy-target.ts';
import type { Report } from '../rule.ts';

/** Targets that policies have elsewhere, for proxies that do not exist here. */
const elsewhere: Readonly<Record<string, string>> = {
  GatewayClass: standardGroup,
  Service: '',
  ServiceEntry: 'networking.mesh.io',
};

/** A target is a Gateway of the Gateway API in the namespace of the policy. */
export function checkTargets({ spec, namespace }: BoundPolicy<string>, report: Report): void {
  for (const [{ group = '', kind, namespace: named }, path] of targetsOf(spec)) {
    const refuse = (field: string, reason: string, hint?: string): void =>
      report('unsupported-target', [...path, field], { reason }, { hint });
    if (kind !== 'Gateway') {
      const isWaypoint = Object.hasOwn(elsewhere, kind);
      refuse(
        'kind',
        isWaypoint
          ? `a policy for a ${kind} is one for waypoint proxies, which do not exist here`
          : `expected the kind Gateway of ${standardGroup}, found "${kind}"`,
        isWaypoint ? 'write a "selector" for the workloads' : undefined,
      );
    } else if (group !== standardGroup) {
      const found = group === '' ? 'none' : `"${group}"`;
      refuse(group === '' ? 'kind' : 'group', `a Gateway as target needs the group ${standardGroup}, found ${found}`);
    }
    if (named && named !== namespace) {
      refuse('namespace', `a target is in the namespace of the policy, "${namespace}", found "${named}"`);
    }
  }
}
