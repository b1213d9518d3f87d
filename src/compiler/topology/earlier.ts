import type { Endpoint, EndpointFacts, Service, ServiceAlias, Topology, Workload } from './model.ts';
import { type Labels, selects } from './selector.ts';

/**
 * The topology before a change. A service or workload that is as it was is given back as the object it was, so that
 * whatever was made from it can be found again by identity.
 */
export class EarlierTopology {
  readonly #services = new Map<string, Service>();
  readonly #workloads = new Map<string, Workload>();
  readonly #facts = new Map<string, EndpointFacts>();
  readonly #endpoints: Topology['endpoints'] | undefined;

  constructor(topology: Topology | undefined) {
    this.#endpoints = topology?.endpoints;
    for (const service of topology?.services ?? []) {
      this.#services.set(`${service.namespace}/${service.host}`, service);
      this.#facts.set(service.facts.key, service.facts);
    }
    for (const workload of topology?.workloads ?? [])
      this.#workloads.set(`${workload.namespace}/${workload.name}`, workload);
  }

  /** Services with equal facts share one object, within a topology too. */
  facts(fresh: EndpointFacts): EndpointFacts {
    const before = this.#facts.get(fresh.key);
    if (before === undefined) this.#facts.set(fresh.key, fresh);
    return before ?? fresh;
  }

  endpoints(fresh: Topology['endpoints']): Topology['endpoints'] {
    const before = this.#endpoints;
    if (before === undefined) return fresh;
    const kept = new Map([...fresh].map(([service, list]) => [service, sameList(before.get(service), list)]));
    const isSame = kept.size === before.size && [...kept].every(([service, list]) => before.get(service) === list);
    return isSame ? before : kept;
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

function sameList(before: readonly Endpoint[] | undefined, fresh: readonly Endpoint[]): readonly Endpoint[] {
  return before !== undefined && isSameList(before, fresh, isSameEndpoint) ? before : fresh;
}

/** What a service takes from its own object alone is the same when the object is; other services take addresses away. */
function isSameService(a: Service, b: Service): boolean {
  return (
    a.object === b.object &&
    isSameList(a.exportTo, b.exportTo, Object.is) &&
    isSameList(a.addresses, b.addresses, Object.is) &&
    isSameList(a.aliases, b.aliases, isSameAlias) &&
    isSameList(a.ports, b.ports, (x, y) => x.number === y.number && x.declaredBy?.object === y.declaredBy?.object) &&
    a.facts === b.facts
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
