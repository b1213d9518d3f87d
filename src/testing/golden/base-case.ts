import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'fixtures/ok';
const topology = 'topology.yaml';

/**
 * The case that `name` builds on: the one that its `case.json` names, or the plain mesh of its topology, which is the
 * case with the same `topology.yaml` and nothing else. `undefined` for a case that stands alone.
 */
export function baseCase(name: string): string | undefined {
  const { base } = optionsOf(name);
  if (base === undefined) return plainMesh(name);
  if (!existsSync(join(folder, base))) throw new Error(`${name} builds on ${base}, which is no case of ${folder}`);
  return base;
}

function plainMesh(name: string): string | undefined {
  plainMeshes ??= findPlainMeshes();
  const mesh = plainMeshes.get(topologyOf(name) ?? '');
  return mesh === name ? undefined : mesh;
}

/** By topology. */
let plainMeshes: ReadonlyMap<string, string> | undefined;

function findPlainMeshes(): ReadonlyMap<string, string> {
  const meshes = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const text = topologyOf(name);
    if (text === undefined || !isPlain(name)) continue;
    const other = meshes.get(text);
    if (other !== undefined) throw new Error(`${other} and ${name} are the same mesh, each without policies`);
    meshes.set(text, name);
  }
  return meshes;
}

/** Has no policies and no settings. */
function isPlain(name: string): boolean {
  const inputs = readdirSync(join(folder, name)).filter((file) => file !== 'case.json');
  const { base: _, workloads: _all, ...settings } = optionsOf(name);
  return inputs.length === 1 && Object.keys(settings).length === 0;
}

function topologyOf(name: string): string | undefined {
  const path = join(folder, name, topology);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function optionsOf(name: string): { readonly base?: string; readonly workloads?: readonly string[] } {
  const path = join(folder, name, 'case.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}
