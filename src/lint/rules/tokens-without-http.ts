import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { protocolClass } from '../../compiler/topology/protocol.ts';
import type { Server } from '../../policy/gateway.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Rule } from '../rule.ts';

/** Tokens are read from requests, and bytes have none. */
export const rule: Rule = {
  code: 'tokens-without-http',
  id: 'MP513',
  severity: 'warning',
  category: 'tokens',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'token verification for workloads without an HTTP port',
  why: 'tokens are verified in HTTP requests only: on these workloads every connection passes, with or without a token',
  hint: 'declare the protocol of the port, or select another workload',
  check({ snapshot, report, skip }) {
    const { topology, effective, policies } = snapshot;
    // Workloads of the same labels have the same list.
    const byList = new Map<readonly RequestAuthentication[], Found>();
    for (const workload of topology.workloads) {
      const isRead = readsRequests(workload, snapshot);
      if (isRead !== undefined) add(byList, effective.requestAuthentications(workload), { workload, isRead });
    }
    const byPolicy = new Map<RequestAuthentication, Found>();
    for (const [list, found] of byList) for (const policy of list) add(byPolicy, policy, found);
    for (const policy of policies.requestAuthentications) {
      const found = byPolicy.get(policy);
      if (found === undefined) skip(policy);
      if (found === undefined || found.isRead || (policy.spec.jwtRules ?? []).length === 0) continue;
      const { namespace, name } = found.workload;
      report({
        ...{ object: policy, path: ['spec', 'jwtRules'], part: 'key' },
        message: `this policy verifies no token: neither "${namespace}/${name}" nor another workload that it selects has a port that is read as HTTP`,
        related: [{ object: found.workload.object, path: ['metadata', 'name'], message: 'the workload' }],
      });
    }
  },
};

/** A workload at which policies are in force, and whether any such reads requests. */
interface Found {
  readonly workload: Workload;
  readonly isRead: boolean;
}

function add<K>(map: Map<K, Found>, key: K, { workload, isRead }: Found): void {
  const known = map.get(key);
  map.set(key, { workload: known?.workload ?? workload, isRead: isRead || known?.isRead === true });
}

/** Undefined where no port of the workload is known, or where it has no proxy. */
function readsRequests(workload: Workload, { settings, effective }: Snapshot): boolean | undefined {
  if (workload.role === 'none') return undefined;
  if (workload.role === 'router') {
    const servers = effective.gateways(workload).flatMap(({ spec }) => spec.servers);
    return servers.length === 0 ? undefined : servers.some(isHttp);
  }
  if (workload.targets.length === 0) return undefined;
  return workload.targets.some(({ port }) =>
    ['http', 'auto'].includes(protocolClass(port.protocol, settings.sniffInbound)),
  );
}

function isHttp({ port, tls }: Server): boolean {
  const protocol = port.protocol.toUpperCase();
  if (protocol === 'HTTPS') return !['PASSTHROUGH', 'AUTO_PASSTHROUGH'].includes(tls?.mode ?? 'PASSTHROUGH');
  return ['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB'].includes(protocol);
}
