import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import { KnownNames } from '../../lib/known-names.ts';
import { valueAt } from '../../lib/value-at.ts';
import type { Service } from '../../policy/topology-kinds.ts';
import { at, podSpecPath } from '../pod-spec.ts';
import type { Rule } from '../rule.ts';

/** A port of a Service that is found by a name, which no container behind the Service gives to a port. */
export const rule: Rule = {
  code: 'target-port-of-no-container',
  id: 'MP651',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Service'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a targetPort by a name that no container of the selected pods gives to a port',
  why: 'that port of the Service has no endpoint, so every call of it fails',
  hint: 'write the name as the container has it, or the number of its port',
  check({ snapshot, report }) {
    const { topology } = snapshot;
    const workloads = workloadsByLabels(topology);
    for (const service of topology.services) {
      if (service.kind !== 'Service' || topology.unseenIn.has(service.namespace)) continue;
      const { selector = {}, ports = [] } = (service.object as Service).spec;
      if (Object.keys(selector).length === 0) continue;
      const selected = workloads.select(service.namespace, selector);
      // Whoever is without any endpoint though its pods run is told of as a whole.
      const endpoints = topology.endpoints.get(service) ?? [];
      if (selected.length === 0 || !selected.every(isWrittenOut)) continue;
      if (endpoints.length === 0 && selected.some(({ addresses }) => addresses.length > 0)) continue;
      for (const [i, { port, targetPort, protocol = 'TCP' }] of ports.entries()) {
        if (typeof targetPort !== 'string' || protocol !== 'TCP' || targetPort === ofProxy) continue;
        if (endpoints.some(({ servicePort }) => servicePort === port)) continue;
        if (selected.some(({ namedPorts }) => Object.hasOwn(namedPorts, targetPort))) continue;
        const names = new Set(selected.flatMap(({ namedPorts }) => Object.keys(namedPorts)));
        const name = `${service.namespace}/${service.name}`;
        report({
          ...{ object: service.object, path: ['spec', 'ports', i, 'targetPort'] },
          message: `no container of the pods that service "${name}" selects has a port "${targetPort}"`,
          hint: hintOf(targetPort, [...names].sort()),
          related: relatedTo(selected),
        });
      }
    }
  },
};

function hintOf(name: string, names: readonly string[]): string | undefined {
  const meant = new KnownNames(names).meantBy(name);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  const listed = names.slice(0, 3).map((it) => `"${it}"`);
  return names.length === 0 ? undefined : `write one of the names of ports, such as ${listed.join(', ')}, or a number`;
}

/** How injection names the port for metrics of the proxy that it adds. */
const ofProxy = 'http-envoy-prom';

/** Whether all of its containers are in the input: injection adds ports to others, and tasks before it may be containers that stay. */
function isWrittenOut({ kind, object, role }: Workload): boolean {
  if (kind === 'WorkloadEntry' || kind === 'WorkloadGroup' || role === 'router') return false;
  const spec = at(object, podSpecPath(object));
  const inits = valueAt(spec, ['initContainers']);
  const stays = Array.isArray(inits) && inits.some((it) => valueAt(it, ['ports', 0]) !== undefined);
  return Array.isArray(valueAt(spec, ['containers'])) && !stays;
}

function relatedTo([first]: Snapshot['topology']['workloads']) {
  if (first === undefined) return [];
  return [{ object: first.object, path: ['metadata', 'name'], message: 'pods that it selects' }];
}
