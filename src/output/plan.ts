import { stringify } from 'yaml';
import type { Compilation } from '../compiler/compilation.ts';
import { routeFileName } from '../compiler/render/file-source.ts';
import { createLocator, type Locate, originsJson } from '../compiler/render/origins-json.ts';
import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';
import type { SourceFile } from '../source/document.ts';
import { annotator } from './annotate.ts';
import { discoveryResponse } from './discovery-response.ts';

/** One file to write; `path` is relative to the output folder, with forward slashes. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

export interface PlanOptions {
  /** The inputs, for the lines of origins. */
  readonly files: readonly SourceFile[];
  /** Put origins into the output too. */
  readonly isAnnotated?: boolean;
}

/**
 * The files of a compilation in JSON, one proxy after the other: a big mesh is never in memory as a whole. Texts of
 * resource lists that proxies have in common are put together once.
 */
export function* planFiles(
  compilation: Pick<Compilation, 'configs' | 'mesh'>,
  options: PlanOptions,
): Generator<OutputFile> {
  const locate = createLocator(options.files);
  const annotate = options.isAnnotated === true ? annotator(locate) : (resource: Resource) => resource;
  const respond = sharedResponses(annotate);
  for (const config of compilation.configs) {
    const folder = proxyFolder(config);
    yield { path: `${folder}/clusters.json`, text: respond(config.clusters) };
    for (const route of config.routes) {
      yield { path: `${folder}/routes/${routeFileName(route.name)}`, text: respond([route]) };
    }
    yield { path: `${folder}/listeners.json`, text: respond(config.listeners) };
    yield { path: `${folder}/bootstrap.json`, text: `${annotate(config.bootstrap).text}\n` };
    yield { path: `${folder}/origins.json`, text: originsText(config, locate) };
  }
  yield { path: 'mesh.json', text: json(compilation.mesh) };
}

/** What stands beside the files that Envoy reads, by name: each text is put together when it is asked for, and kept by nobody. */
export function filesBeside(
  compilation: Pick<Compilation, 'mesh'>,
  config: EnvoyConfig,
  files: readonly SourceFile[],
): ReadonlyMap<string, () => string> {
  return new Map([
    ['origins.json', () => originsText(config, createLocator(files))],
    ['mesh.json', () => json(compilation.mesh)],
  ]);
}

function originsText(config: EnvoyConfig, locate: Locate): string {
  return json(originsJson(config, locate));
}

/** Folder of one proxy, relative to the output folder. */
export function proxyFolder({
  namespace,
  workload,
}: {
  readonly namespace: string;
  readonly workload: string;
}): string {
  return `${encodeURIComponent(namespace)}/${encodeURIComponent(workload)}`;
}

/** Equal lists are most often those of the proxy before, and routes those of any; a few are kept. */
function sharedResponses(
  annotate: (resource: Resource) => Resource,
  kept = 8,
): (resources: readonly Resource[]) => string {
  const single = new WeakMap<Resource, string>();
  const recent: { readonly resources: readonly Resource[]; readonly text: string }[] = [];
  return (resources) => {
    const only = resources.length === 1 ? resources[0] : undefined;
    if (only !== undefined) {
      const text = single.get(only) ?? discoveryResponse([annotate(only)]).text;
      single.set(only, text);
      return text;
    }
    const at = recent.findIndex((entry) => isSame(entry.resources, resources));
    const [known] = at === -1 ? [] : recent.splice(at, 1);
    const entry = known ?? { resources, text: discoveryResponse(resources.map(annotate)).text };
    if (recent.unshift(entry) > kept) recent.pop();
    return entry.text;
  };
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a.length === b.length && a.every((resource, index) => resource === b[index]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The same files in YAML, for people; Envoy reads both. */
export function* yamlFiles(files: Iterable<OutputFile>): Generator<OutputFile> {
  for (const { path, text } of files) {
    yield { path: path.replace(/\.json$/, '.yaml'), text: yamlText(JSON.parse(text)) };
  }
}

/** YAML without aliases and line folding, so that a diff shows what changed and no more. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
