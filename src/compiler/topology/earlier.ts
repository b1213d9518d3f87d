import type { Endpoint, Service, ServiceAlias, Topology, Workload } from './model.ts';
import { type Labels, selects } from './selector.ts';

/**
 * The topology before a change. A service or workload that is as it was is given back as the object it was, so that
 * whatever was made from it can be found again by identity.
 */
export class EarlierTopology {
  readonly #services = new Map<string, Service>();
  readonly #workloads = new Map<string, Workload>();

  constructor(topology: Topology | undefined) {
    for (const service of topology?.services ?? []) this.#services.set(`${service.namespace}/${service.host}`, service);
    for (const workload of topology?.workloads ?? [])
      this.#workloads.set(`${workload.namespace}/${workload.name}`, workload);
  }

  service(fresh: Service): Service {
    const before = this.#services.get(`${fresh.namespace}/${fresh.host}`);
    return before !== undefined && isSameService(before, fresh) ? before : fresh;
  }

  workload(fresh: Workload): Workload {
    const before = this.#workloads.get(`${fresh.namespace}/${fresh.name}`);
    return before !== undefined && isSameWorkload(before, fresh) ? before : fresh;
  }
}

/** What a service takes from its own object alone is the same when the object is; other services take addresses away. */
function isSameService(a: Service, b: Service): boolean {
  return (
    a.object === b.object &&
    isSameList(a.exportTo, b.exportTo, Object.is) &&
    isSameList(a.addresses, b.addresses, Object.is) &&
    isSameList(a.aliases, b.aliases, isSameAlias) &&
    isSameList(a.ports, b.ports, (x, y) => x.number === y.number && x.declaredBy?.object === y.declaredBy?.object) &&
    isSameList(a.endpoints, b.endpoints, isSameEndpoint)
  );
}

function isSameAlias(a: ServiceAlias, b: ServiceAlias): boolean {
  return a.host === b.host && isSameList(a.exportTo, b.exportTo, Object.is);
}

function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a.servicePort === b.servicePort &&
    a.address === b.address &&
    a.port === b.port &&
    a.identity === b.identity &&
    a.workload?.namespace === b.workload?.namespace &&
    a.workload?.name === b.workload?.name &&
    a.hasSidecar === b.hasSidecar &&
    a.weight === b.weight &&
    a.locality === b.locality &&
    hasSameLabels(a.labels, b.labels)
  );
}

/** The namespace's labels decide the role; settings the identity; services the rest. */
function isSameWorkload(a: Workload, b: Workload): boolean {
  return (
    a.object === b.object &&
    a.role === b.role &&
    a.identity === b.identity &&
    isSameList(a.families, b.families, Object.is) &&
    isSameList(
      a.targets,
      b.targets,
      (x, y) => x.service === y.service && x.port === y.port && x.targetPort === y.targetPort,
    )
  );
}

function hasSameLabels(a: Labels, b: Labels): boolean {
  return a === b || (selects(a, b) && selects(b, a));
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (x: T, y: T) => boolean): boolean {
  return a.length === b.length && a.every((item, i) => isSame(item, b[i] as T));
}
