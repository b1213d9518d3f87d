import type { Endpoint, EndpointFacts, Service, ServiceAlias, Topology, Workload } from './model.ts';
import { type Labels, selects } from './selector.ts';

/**
 * The topology before a change. A service or workload that is as it was is given back as the object it was, so that
 * whatever was made from it can be found again by identity.
 */
export class EarlierTopology {
  readonly #topology: Topology | undefined;
  #facts: Map<string, EndpointFacts> | undefined;
  #services: ReadonlyMap<string, Service> | undefined;
  #workloads: ReadonlyMap<string, Workload> | undefined;

  constructor(topology: Topology | undefined) {
    this.#topology = topology;
  }

  /** Services with equal facts share one object, within a topology too. */
  facts(fresh: EndpointFacts): EndpointFacts {
    this.#facts ??= new Map(this.#topology?.services.map(({ facts }) => [facts.key, facts]));
    const before = this.#facts.get(fresh.key);
    if (before === undefined) this.#facts.set(fresh.key, fresh);
    return before ?? fresh;
  }

  namespaces(fresh: Topology['namespaces']): Topology['namespaces'] {
    const before = this.#topology?.namespaces;
    const isSame =
      before?.size === fresh.size &&
      [...fresh].every(([name, labels]) => {
        const known = before.get(name);
        return known !== undefined && hasSameLabels(known, labels);
      });
    return isSame ? before : fresh;
  }

  service(fresh: Service): Service {
    this.#services ??= new Map(this.#topology?.services.map((it) => [`${it.namespace}/${it.host}`, it]));
    const before = this.#services.get(`${fresh.namespace}/${fresh.host}`);
    return before !== undefined && isSameService(before, fresh) ? before : fresh;
  }

  workload(fresh: Workload): Workload {
    this.#workloads ??= new Map(this.#topology?.workloads.map((it) => [`${it.namespace}/${it.name}`, it]));
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
    a.facts === b.facts
  );
}

function isSameAlias(a: ServiceAlias, b: ServiceAlias): boolean {
  return a.host === b.host && isSameList(a.exportTo, b.exportTo, Object.is);
}

/** Whether two endpoints are the same to every client. */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
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

/** Namespaces' labels decide the role; settings the identity; a group what its entries do not say; services the rest. */
function isSameWorkload(a: Workload, b: Workload): boolean {
  return (
    a.object === b.object &&
    a.role === b.role &&
    a.identity === b.identity &&
    a.locality === b.locality &&
    a.isReady === b.isReady &&
    a.interceptionMode === b.interceptionMode &&
    hasSameLabels(a.labels, b.labels) &&
    hasSameLabels(a.annotations, b.annotations) &&
    hasSameNumbers(a.namedPorts, b.namedPorts) &&
    isSameList(a.addresses, b.addresses, Object.is) &&
    isSameList(a.families, b.families, Object.is) &&
    isSameList(
      a.targets,
      b.targets,
      (x, y) => x.service === y.service && x.port === y.port && x.targetPort === y.targetPort,
    )
  );
}

function hasSameNumbers(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function hasSameLabels(a: Labels, b: Labels): boolean {
  return a === b || (selects(a, b) && selects(b, a));
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (x: T, y: T) => boolean): boolean {
  return a.length === b.length && a.every((item, i) => isSame(item, b[i] as T));
}
