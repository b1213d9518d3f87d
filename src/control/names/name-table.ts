import { isIP } from 'node:net';
import type { Endpoint, Service, Topology, Workload } from '../../compiler/topology/model.ts';
import { isSameList } from '../../diagnostics/kept.ts';
import type { ZoneName } from '../../dns/zone-name.ts';
import type { Pod, Service as ServiceObject } from '../../policy/topology-kinds.ts';
import { automaticAddresses } from './automatic-addresses.ts';

/** A name with the service that gives it (`serviceKey`). */
export interface ServiceName extends ZoneName {
  readonly service: string;
}

/** Names of the mesh's services by a key of each. */
export type Names = ReadonlyMap<string, ServiceName>;

/**
 * The names of a topology. What is kept from one topology to the next are the names of services that are the same, so that
 * only what changed differs.
 */
export class NameTable {
  readonly #made = new WeakMap<Service, { readonly inputs: readonly unknown[]; readonly names: Names }>();

  /** `suffixes` are those that only the mesh has names below. */
  of({ services, endpoints, workloads }: Topology, suffixes: readonly string[]): Names {
    const automatic = this.#automatic(services, suffixes);
    const pods = new Map(workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
    const names = new Map<string, ServiceName>();
    for (const service of services) {
      for (const [key, name] of this.#namesOf(service, endpoints.get(service) ?? [], pods, automatic.get(service.host)))
        names.set(key, name);
    }
    return names;
  }

  #namesOf(
    service: Service,
    endpoints: readonly Endpoint[],
    pods: ReadonlyMap<string, Workload>,
    automatic: string | undefined,
  ): Names {
    const behind = service.isHeadless ? endpoints.map((endpoint) => podOf(endpoint, pods)) : [];
    const dialed = isDialed(service);
    const inputs = [dialed && endpoints, automatic, ...behind.map((pod) => pod?.object)];
    const before = this.#made.get(service);
    if (before !== undefined && isSameList(before.inputs, inputs)) return before.names;
    const names = new Map<string, ServiceName>();
    const base = { service: serviceKey(service), namespace: service.namespace, createdAt: service.createdAt };
    const own = { ...base, isOfCluster: service.kind === 'Service', viewers: viewersOf(service) };
    const target = externalNameOf(service);
    const addresses = dialed ? endpoints.map(({ address }) => address) : service.addresses;
    const known = [...new Set(addresses)].filter((address) => isIP(address) !== 0);
    if (target !== undefined) names.set(serviceKey(service), { ...own, name: service.host, addresses: [], target });
    else if (known.length === 0 && automatic !== undefined)
      names.set(serviceKey(service), { ...own, name: service.host, addresses: [automatic], isForProxies: true });
    else if (known.length > 0 || dialed || service.kind === 'Service')
      names.set(serviceKey(service), { ...own, name: service.host, addresses: known });
    for (const [name, of] of service.isHeadless ? podNames(service, endpoints, behind) : [])
      names.set(`${serviceKey(service)}/${name}`, { ...own, name, addresses: of });
    for (const alias of service.aliases)
      names.set(serviceKey(alias), {
        ...base,
        ...{ name: alias.host, namespace: alias.namespace, isOfCluster: true, viewers: viewersOf(alias) },
        ...{ addresses: [], target: service.host },
      });
    this.#made.set(service, { inputs, names });
    return names;
  }

  /** Of entries below a suffix of the mesh: nobody else could say where they are. */
  #automatic(services: readonly Service[], suffixes: readonly string[]): ReadonlyMap<string, string> {
    const isOurs = (host: string): boolean => suffixes.some((suffix) => host.endsWith(`.${suffix}`));
    const wanting = services.filter(
      ({ kind, host, addresses, resolution }) =>
        kind === 'ServiceEntry' &&
        resolution !== 'client' &&
        !host.startsWith('*') &&
        isOurs(host) &&
        addresses.every((address) => isIP(address) === 0),
    );
    if (wanting.length === 0) return new Map();
    const taken = new Set(services.flatMap(({ addresses }) => addresses));
    return automaticAddresses(
      wanting.map(({ host }) => host),
      taken,
    );
  }
}

/** Clients dial the endpoints themselves: those of a headless service, and of an entry that has them but no address. */
function isDialed({ isHeadless, kind, resolution, addresses }: Service): boolean {
  return isHeadless || (kind === 'ServiceEntry' && resolution === 'client' && addresses.length === 0);
}

/** `<namespace>/<host>` */
export function serviceKey({ namespace, host }: Pick<Service, 'namespace' | 'host'>): string {
  return `${namespace}/${host}`;
}

/** Pods with a host name have a name below that of the headless service that is their subdomain. */
function podNames(
  service: Service,
  endpoints: readonly Endpoint[],
  behind: readonly (Workload | undefined)[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, Set<string>>();
  for (const [i, { address }] of endpoints.entries()) {
    const pod = behind[i];
    if (pod?.object.kind !== 'Pod' || pod.namespace !== service.namespace) continue;
    const { hostname, subdomain } = (pod.object as Pod).spec;
    if (!hostname || !isLabel(hostname) || subdomain !== service.name) continue;
    const name = `${hostname.toLowerCase()}.${service.host}`;
    names.set(name, (names.get(name) ?? new Set()).add(address));
  }
  return new Map([...names].map(([name, addresses]) => [name, [...addresses]]));
}

function podOf({ workload }: Endpoint, pods: ReadonlyMap<string, Workload>): Workload | undefined {
  return workload && pods.get(`${workload.namespace}/${workload.name}`);
}

/** The host that a service of type ExternalName leads to, in small letters; undefined for any other. */
function externalNameOf({ object }: Pick<Service, 'object'>): string | undefined {
  if (object.kind !== 'Service') return undefined;
  const { type, externalName } = (object as ServiceObject).spec;
  const name = type === 'ExternalName' ? externalName?.toLowerCase().replace(/\.$/, '') : undefined;
  return name?.split('.').every(isLabel) ? name : undefined;
}

/** Of 1 to 63 octets, as RFC 1035 section 2.3.4 has it. */
function isLabel(label: string): boolean {
  return label !== '' && Buffer.byteLength(label) <= 63;
}

function viewersOf({ exportTo, namespace }: Pick<Service, 'exportTo' | 'namespace'>): ZoneName['viewers'] {
  if (exportTo.includes('*')) return 'all';
  const named = exportTo.map((entry) => (entry === '.' ? namespace : entry)).filter((entry) => entry !== '~');
  return [...new Set(named)].sort();
}
