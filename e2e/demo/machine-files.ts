import { addressOf, callers, homeOf, networkOf, planes, type WorkloadName, workloads } from './machine-plan.ts';
import type { PrintedFiles } from './printed-files.ts';

/** Where the authority is made, and below it a folder of certificates for each workload. */
export const authorityFolder = '/root/ca';

/** Files of a machine by path, and folders that belong to a user. */
export interface MachineFiles {
  /** Folder that gets the certificates and keys of another one. */
  readonly copies: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
  readonly owned: readonly { readonly folder: string; readonly user: string }[];
}

const units = '/etc/systemd/system';

/** The catalog's machine. */
export function consulFiles(guide: PrintedFiles): MachineFiles {
  const folder = `${homeOf('consul')}/var/lib/consul`;
  return {
    copies: {},
    texts: unitFiles('consul', guide.text(`${units}/consul.service`), 'consul', ['/var/lib/consul']),
    owned: [{ folder, user: 'consul' }],
  };
}

/** A machine of a control plane. */
export function planeFiles(guide: PrintedFiles, name: string): MachineFiles {
  const home = homeOf(name);
  const folders = ['/etc/meshd', '/srv', '/var/lib/meshd'];
  return {
    copies: { [`${home}/etc/meshd/ca`]: authorityFolder },
    texts: unitFiles(name, guide.text(`${units}/meshd.service`), name, folders),
    owned: folders.map((folder) => ({ folder: home + folder, user: 'meshd' })),
  };
}

/** A workload's machine: `unit` is that of the agent. */
export function workloadFiles(guide: PrintedFiles, unit: string, name: WorkloadName): MachineFiles {
  const home = homeOf(name);
  const proxy = `mesh-proxy-${name}`;
  const own = guide.text(`${units}/mesh-proxy.service.d/machine.conf`);
  return {
    copies: { [`${home}/etc/certs`]: `${authorityFolder}/${name}` },
    texts: {
      [`${home}/etc/mesh/config/mesh`]: guide.text('/etc/mesh/config/mesh'),
      ...unitFiles(proxy, unit, name, ['/etc/mesh', '/etc/certs', '/var/lib/mesh-proxy']),
      [`${units}/${proxy}.service.d/meshd.conf`]: guide.text(`${units}/mesh-proxy.service.d/meshd.conf`),
      [`${units}/${proxy}.service.d/machine.conf`]: ofWorkload(own, name),
      ...unitFiles(`mesh-redirection-${name}`, guide.text(`${units}/mesh-redirection.service`), name, []),
    },
    owned: ['/etc/certs', '/var/lib/mesh-proxy'].map((folder) => ({ folder: home + folder, user: 'mesh-proxy' })),
  };
}

/** Files of the repository of policies: what concerns all, and one file a workload. */
export function policyFiles(guide: PrintedFiles): Readonly<Record<string, string>> {
  const own = workloads.map((name) => [`${name}.yaml`, workloadPolicies(guide, name, callers[name])]);
  return { 'mesh.yaml': guide.text('mesh.yaml'), ...Object.fromEntries(own) };
}

/** The WorkloadGroup of a workload, and who may call it. */
export function workloadPolicies(guide: PrintedFiles, name: WorkloadName, from: readonly WorkloadName[]): string {
  const [group = '', policy = ''] = guide.text('cart.yaml').split('---\n');
  if (from.length === 0) return ofWorkload(group, name);
  const principals = from.map((caller) => `cluster.local/ns/default/sa/${caller}`);
  return [
    ofWorkload(group, name),
    ofWorkload(policy, name).replace(/(?<=principals: \[)[^\]]*/, principals.join(', ')),
  ].join('---\n');
}

/** The Consul agent's definition of the workload's service. */
export function serviceDefinition(guide: PrintedFiles, name: WorkloadName): string {
  return ofWorkload(guide.text('cart.json'), name);
}

/** The page shows the machine of `cart`. */
function ofWorkload(text: string, name: WorkloadName): string {
  return text.replaceAll(addressOf('cart'), addressOf(name)).replaceAll('cart', name);
}

/**
 * A unit under a name of its own. All machines share one systemd and its file system, so a drop-in gives each unit the network
 * namespace and the folders of its machine.
 */
function unitFiles(unit: string, text: string, machine: string, folders: readonly string[]): Record<string, string> {
  const binds = folders.map((folder) => `BindPaths=${homeOf(machine)}${folder}:${folder}`);
  const place = ['[Service]', `NetworkNamespacePath=/run/netns/${networkOf(machine)}`, 'StateDirectory=', ...binds, ''];
  return { [`${units}/${unit}.service`]: text, [`${units}/${unit}.service.d/place.conf`]: place.join('\n') };
}

/** Every unit that `make virtual-machines` starts, in the order in which it does. */
export const unitNames = {
  consul: ['consul'],
  planes,
  workloads: workloads.flatMap((name) => [`mesh-redirection-${name}`, `mesh-proxy-${name}`]),
} as const;
