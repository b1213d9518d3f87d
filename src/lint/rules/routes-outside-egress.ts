import { resolveShortName } from '../../compiler/topology/host.ts';
import { append } from '../../lib/append.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { sidecarOf } from '../routing/sidecar-of.ts';
import type { Rule } from '../rule.ts';

/** Routes are imported by the namespace of their VirtualService, not by that of the service that they are for. */
export const rule: Rule = {
  code: 'routes-outside-egress',
  id: 'MP636',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'likely',
  kinds: ['Sidecar'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a Sidecar that does not import a host for which its own namespace has routes',
  why: 'the workloads call the host as if the VirtualService were not there',
  hint: 'add ./<host> to "egress.hosts"',
  check({ snapshot, report }) {
    const { effective, policies, settings, topology } = snapshot;
    const imported = new Set<string>();
    const asked = new Set<string>();
    const limits = new Map<string, Sidecar | undefined>();
    for (const workload of policies.sidecars.length === 0 ? [] : topology.workloads) {
      if (workload.role !== 'sidecar') continue;
      const sidecar = sidecarOf(workload, snapshot);
      // One workload of the namespace without a limit has the routes.
      const isLimited = limits.get(workload.namespace) !== undefined || !limits.has(workload.namespace);
      limits.set(workload.namespace, isLimited ? sidecar : undefined);
      const scope = snapshot.scopeOf(workload);
      if (asked.has(scope.key)) continue;
      asked.add(scope.key);
      for (const { namespace, name } of effective.virtualServices(scope)) imported.add(`${namespace}/${name}`);
    }
    const owners = new Map<string, string[]>();
    for (const { host, namespace } of topology.services) append(owners, host, namespace);
    for (const object of policies.virtualServices) {
      const sidecar = limits.get(object.namespace);
      const isForClients = (object.spec.gateways ?? ['mesh']).includes('mesh') && object.spec.hosts !== undefined;
      if (sidecar === undefined || !isForClients || imported.has(`${object.namespace}/${object.name}`)) continue;
      const hosts =
        object.spec.hosts?.map((it) => resolveShortName(it, object.namespace, settings.clusterDomain)) ?? [];
      // Routes of a service's own namespace are for the clients of other namespaces as much.
      if (!isPrivate(object) && hosts.some((host) => owners.get(host)?.includes(object.namespace))) continue;
      report({
        ...{ object: sidecar, path: ['spec', 'egress'], part: 'key' },
        message: `the routes of VirtualService "${object.namespace}/${object.name}" are not imported, and no workload of the input has them`,
        hint: `add ${hosts.map((host) => `"./${host}"`).join(', ')} to "egress.hosts"`,
        related: [{ object, path: ['spec', 'hosts'], part: 'key', message: 'the hosts of the routes' }],
      });
    }
  },
};

function isPrivate({ namespace, spec: { exportTo = [] } }: VirtualService): boolean {
  return exportTo.length > 0 && exportTo.every((to) => to === '.' || to === namespace);
}
