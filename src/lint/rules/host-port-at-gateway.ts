import { takesAccess } from '../../policy/authorization-policy.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { type PlacedValue, placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

const isHost = /^((h|notH)osts|request\.headers\[(host|:authority)\])$/i;

/** Gateways take the port off an authority before rules are looked at. */
export const rule: Rule = {
  code: 'host-port-at-gateway',
  id: 'MP405',
  severity: 'warning',
  category: 'matching',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a host with a port in an access rule of a gateway',
  why: 'here gateways compare hosts without their port, which Istio does only with ISTIO_GATEWAY_STRIP_HOST_PORT: an ALLOW rule matches nothing here, and a DENY rule applies to every port of the host',
  hint: 'write the host without a port beside the one with it; to restrict the port, write the container port of the gateway into "ports"',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      if (!workloads.some(({ role }) => role === 'router')) continue;
      for (const at of rulesOf([policy])) {
        const values = placedValues(at, isHost);
        for (const placed of values) {
          const host = withoutPort(placed.value);
          if (host === undefined || values.some((other) => isBeside(other, placed) && isSame(other.value, host)))
            continue;
          const takes = takesAccess(policy.spec.action ?? 'ALLOW', placed.isNegated);
          const effect = takes ? `holds for "${host}" with every port` : 'matches nothing';
          const message = `gateways compare hosts here without their port, so that "${placed.value}" ${effect}`;
          report({ object: policy, path: placed.path, message, hint: hintOf(host) });
        }
      }
    }
  },
};

/** What holds here, and with any port in Istio too. */
function hintOf(host: string): string | undefined {
  if (host.includes('*')) return undefined;
  return `write both "${host}" and "${host}:*", which hold here and in Istio; to restrict the port, write the container port of the gateway into "ports"`;
}

/** The value without its port, or a beginning of one; undefined where it has none. */
function withoutPort(value: string): string | undefined {
  const host = /^((?:[^:[\]]|\[[^\]]*\])*):[0-9]*\*?$/.exec(value)?.[1];
  return host === '' ? '*' : host;
}

/** Values of one list are alternatives: the same host without its port says enough. */
function isBeside({ path }: PlacedValue, { path: other }: PlacedValue): boolean {
  return path.slice(0, -1).join('.') === other.slice(0, -1).join('.');
}

function isSame(host: string, other: string): boolean {
  return host.toLowerCase() === other.toLowerCase();
}
