import { keyOf } from '../access/world.ts';
import type { Compilation } from '../compiler/compilation.ts';
import type { MeshWorkload } from '../contracts/mesh-file.ts';

type Configuration = Compilation['configs'][number];

/** Workloads (`namespace/name`) whose proxies treat every request alike in two versions of a mesh. */
export function unchangedProxies(
  before: Pick<Compilation, 'configs' | 'mesh'>,
  after: Pick<Compilation, 'configs' | 'mesh'>,
): ReadonlySet<string> {
  const isCaptureSame = JSON.stringify(before.mesh.capture) === JSON.stringify(after.mesh.capture);
  if (!isCaptureSame) return new Set();
  const old = new Map(before.configs.map((config) => [nameOf(config), config]));
  const workloads = new Map(before.mesh.workloads.map((workload) => [keyOf(workload), traitsOf(workload)]));
  const same = after.mesh.workloads.filter((workload) => workloads.get(keyOf(workload)) === traitsOf(workload));
  const names = new Set(same.map(keyOf));
  const unchanged = after.configs.filter((config) => {
    const other = old.get(nameOf(config));
    return other !== undefined && names.has(nameOf(config)) && isSame(config, other);
  });
  return new Set(unchanged.map(nameOf));
}

function nameOf({ namespace, workload }: Configuration): string {
  return keyOf({ namespace, name: workload });
}

/** How connections come to a workload; its address may be made up. */
function traitsOf({ role, identity, excludedInboundPorts, includedInboundPorts }: MeshWorkload): string {
  return JSON.stringify([role, identity, excludedInboundPorts, includedInboundPorts]);
}

function isSame(a: Configuration, b: Configuration): boolean {
  return (['listeners', 'routes', 'clusters'] as const).every(
    (kind) =>
      a[kind].length === b[kind].length &&
      a[kind].every((one, i) => one === b[kind][i] || one.text === b[kind][i]?.text),
  );
}
