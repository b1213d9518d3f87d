import { isIP } from 'node:net';
import { catalogAnnotation } from '../../../compiler/topology/workload-groups.ts';
import { healthAnnotation } from '../../../compiler/topology/workloads.ts';
import type { ConsulInstance } from '../../../consul/consul-instance.ts';
import { append } from '../../../lib/append.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { SourceFile } from '../../../source/document.ts';
import { instanceLabels } from './instance-labels.ts';
import { portProtocol } from './port-protocol.ts';

/** A service as all catalogs together have it. */
export interface CatalogService {
  readonly name: string;
  readonly instances: readonly ConsulInstance[];
}

export interface CatalogObjects {
  /** ServiceEntries and WorkloadEntries; the machines are apart, since they change with each check. */
  readonly files: readonly SourceFile[];
  /** What was left out of them, and why. */
  readonly problems: readonly string[];
}

/** Namespace of all services of a catalog, as in Istio. */
const namespace = 'default';
const apiVersion = 'networking.mesh.io/v1';

/**
 * The objects of one service: a ServiceEntry for each port, with the host `<name>.service.consul`, since instances may have
 * different ports; and a WorkloadEntry for each address of an instance. Nothing in them comes from one instance and concerns
 * another, and no account comes from an instance.
 */
export function catalogObjects({ name, instances }: CatalogService): CatalogObjects {
  const problems: string[] = [];
  const usable = instances.filter((instance) => {
    const fault = faultOf(instance);
    if (fault !== undefined) problems.push(`instance "${instance.id}" of service "${name}" is left out: ${fault}`);
    return fault === undefined;
  });
  const ordered = sortedBy(
    usable,
    ({ address }) => address,
    ({ id }) => id,
  );
  const byPort = new Map<number, ConsulInstance[]>();
  for (const instance of ordered) append(byPort, instance.port, instance);
  const entries = sortedBy(byPort, ([port]) => port).map(([port, own]) => serviceEntry(name, port, own, problems));
  const byAddress = new Map<string, ConsulInstance[]>();
  for (const instance of ordered.filter(({ address }) => isIP(address) !== 0))
    append(byAddress, instance.address, instance);
  const machines = [...byAddress].map(([address, own]) => workloadEntry(name, address, own, problems));
  return { files: [fileOf(name, 'service', entries), fileOf(name, 'machines', machines)], problems };
}

/** Two files for each service. */
export function isMachinesFile({ path }: SourceFile): boolean {
  return path.endsWith('/machines');
}

function faultOf({ address, port }: ConsulInstance): string | undefined {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return `its port is ${port}, expected 1 to 65535`;
  if (
    isIP(address) !== 0 ||
    /^(?=.{1,253}$)[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/.test(address)
  )
    return undefined;
  return `its address is "${address}", expected an IP address or a host name`;
}

function serviceEntry(name: string, port: number, instances: readonly ConsulInstance[], problems: string[]): object {
  const protocol = portProtocol(name, port, instances, problems);
  const external = instances.filter(({ meta }) => (meta.external ?? '') !== '');
  // One of several must not take mutual TLS from the others.
  const isExternal = external.length === instances.length;
  if (!isExternal && external.length > 0)
    problems.push(
      `port ${port} of service "${name}" is external for some instances alone: it counts as one of the mesh`,
    );
  const isNamed = instances.some(({ address }) => isIP(address) === 0);
  const serving = instances.filter((instance) => isServing(instance, instances));
  return {
    apiVersion,
    kind: 'ServiceEntry',
    metadata: { namespace, name: `${name}.${port}`, annotations: { [catalogAnnotation]: name } },
    spec: {
      hosts: [`${name}.service.consul`],
      location: isExternal ? 'MESH_EXTERNAL' : 'MESH_INTERNAL',
      resolution: isNamed ? 'DNS' : 'STATIC',
      ports: [{ number: port, name: `${protocol.toLowerCase()}-${port}`, protocol }],
      endpoints: serving.map((instance) => ({
        address: instance.address,
        labels: instanceLabels(instance, problems),
        ...(instance.datacenter !== '' && { locality: instance.datacenter }),
        weight: Math.max(1, Math.round(instance.weight)),
      })),
    },
  };
}

/**
 * Whether an endpoint is written: the health of a machine decides for all its ports, so of a machine with a healthy instance
 * the others are left out, and of a host name, which has no machine.
 */
function isServing(instance: ConsulInstance, instances: readonly ConsulInstance[]): boolean {
  if (instance.health !== 'critical') return true;
  return (
    isIP(instance.address) !== 0 &&
    !instances.some(({ address, health }) => address === instance.address && health !== 'critical')
  );
}

function workloadEntry(
  name: string,
  address: string,
  instances: readonly ConsulInstance[],
  problems: string[],
): object {
  const isHealthy = instances.some(({ health }) => health !== 'critical');
  const datacenter = instances[0]?.datacenter ?? '';
  return {
    apiVersion,
    kind: 'WorkloadEntry',
    metadata: {
      ...{ namespace, name: `${name}.${nameOfAddress(address)}` },
      annotations: { [catalogAnnotation]: name, [healthAnnotation]: 'true' },
    },
    spec: {
      address,
      labels: Object.assign({}, ...instances.map((instance) => instanceLabels(instance, problems))),
      ...(datacenter !== '' && { locality: datacenter }),
    },
    status: { conditions: [{ type: 'Healthy', status: isHealthy ? 'True' : 'False' }] },
  };
}

/** `10-1-0-5`; of IPv6 the address with `-` for `:`, and an `x` before what would begin or end with one. */
function nameOfAddress(address: string): string {
  return address.toLowerCase().replaceAll(/[.:]/g, '-').replace(/^-/, 'x-').replace(/-$/, '-x');
}

function fileOf(name: string, part: string, items: readonly object[]): SourceFile {
  const text = items.map((item) => `${JSON.stringify(item)}\n`).join('---\n');
  return { path: `consul/${name}/${part}`, text, isSizeChecked: true };
}
