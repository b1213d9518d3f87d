import type { Endpoint, EndpointFacts, PortFacts, Resolution } from './model.ts';

/** What clusters and listeners may know of endpoints; `known` are those of the service, in order. */
export function endpointFacts(resolution: Resolution, known: readonly Endpoint[]): EndpointFacts {
  const named = resolution === 'dns' ? known : [];
  const ports = new Map<number, PortFacts>();
  for (const port of new Set(known.map(({ servicePort }) => servicePort))) {
    ports.set(port, portFacts(resolution, ofPort(known, port)));
  }
  return { key: JSON.stringify([resolution, [...ports], named]), ports, named };
}

function ofPort(endpoints: readonly Endpoint[], port: number): readonly Endpoint[] {
  return endpoints.filter(({ servicePort }) => servicePort === port);
}

function portFacts(resolution: Resolution, endpoints: readonly Endpoint[]): PortFacts {
  return {
    identities: sortedUnique(endpoints.flatMap(({ identity }) => identity ?? [])),
    allHaveSidecar: endpoints.every(({ hasSidecar }) => hasSidecar),
    addresses: resolution === 'passthrough' ? sortedUnique(endpoints.map(({ address }) => address)) : [],
  };
}

function sortedUnique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
