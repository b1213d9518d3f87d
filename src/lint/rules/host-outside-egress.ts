import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { isVisible } from '../../compiler/topology/visibility.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { at, podSpecPath } from '../pod-spec.ts';
import { sidecarOf } from '../routing/sidecar-of.ts';
import type { Rule } from '../rule.ts';

/** Applications are mostly told by environment variables where the services are that they call. */
export const rule: Rule = {
  code: 'host-outside-egress',
  id: 'MP635',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Sidecar'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a service that a container is configured to call, and that its Sidecar does not import',
  why: 'with REGISTRY_ONLY a sidecar refuses every call to what its Sidecar does not import',
  hint: 'add <namespace>/<host> to "egress.hosts"',
  check({ snapshot, report }) {
    const { effective, settings, topology } = snapshot;
    const exports = new Map(topology.services.map((service) => [service.host, service]));
    const told = new Set<string>();
    for (const workload of topology.workloads) {
      const sidecar = workload.role === 'sidecar' ? sidecarOf(workload, snapshot) : undefined;
      if (sidecar === undefined) continue;
      const scope = snapshot.scopeOf(workload);
      const isClosed = (scope.outboundTrafficPolicy ?? settings.outboundTrafficPolicy) === 'REGISTRY_ONLY';
      if (!isClosed || scope.egress === undefined) continue;
      const called = calledBy(workload, snapshot).filter(({ host }) => {
        const service = exports.get(host);
        return service !== undefined && isVisible(service.exportTo, service.namespace, workload.namespace);
      });
      if (called.length === 0) continue;
      const imported = new Set(effective.outbound(scope).map(({ service }) => service.host));
      for (const { host, path } of called) {
        const key = `${sidecar.namespace}/${sidecar.name} ${host}`;
        if (imported.has(host) || told.has(key)) continue;
        told.add(key);
        const entry = `${exports.get(host)?.namespace}/${host}`;
        report({
          ...{ object: sidecar, path: ['spec', 'egress'], part: 'key' },
          message: `"${host}" is not among these hosts, and "${workload.namespace}/${workload.name}" is configured to call it`,
          hint: `add "${entry}" to "egress.hosts"`,
          related: [{ object: workload.object, path, message: 'where the application gets its address' }],
        });
      }
    }
  },
};

interface Called {
  readonly host: string;
  readonly path: JsonPath;
}

/** Hosts of the cluster in the environment variables of a workload's containers, in their full form. */
function calledBy({ object, namespace }: Workload, { settings: { clusterDomain } }: Snapshot): readonly Called[] {
  const root = [...podSpecPath(object), 'containers'];
  return listOf(at(object, root)).flatMap((container, i) =>
    listOf((container as { readonly env?: unknown }).env).flatMap((variable, j) => {
      const { value } = variable as { readonly value?: unknown };
      const host = typeof value === 'string' ? hostIn(value, namespace, clusterDomain) : undefined;
      return host === undefined ? [] : [{ host, path: [...root, i, 'env', j, 'value'] }];
    }),
  );
}

/** Of a URL, or of a host with or without a port; a name without a dot is of the workload's own namespace. */
function hostIn(text: string, namespace: string, clusterDomain: string): string | undefined {
  const [, name] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([a-z0-9.-]+)(?::\d+)?(?:[/?#].*)?$/i.exec(text) ?? [];
  const [service = '', own = namespace, ...rest] = (name ?? '').toLowerCase().split('.');
  const isOfCluster = ['', 'svc', `svc.${clusterDomain}`].includes(rest.join('.'));
  return service !== '' && isOfCluster ? `${service}.${own}.svc.${clusterDomain}` : undefined;
}

function listOf(value: unknown): readonly object[] {
  return (Array.isArray(value) ? value : []).filter((item) => typeof item === 'object' && item !== null);
}
