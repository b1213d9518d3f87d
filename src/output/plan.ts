import type { Compilation } from '../compiler/compilation.ts';
import { routeFileName } from '../compiler/render/config-source.ts';
import { createLocator, type Locate, originsJson } from '../compiler/render/origins-json.ts';
import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';
import type { SourceFile } from '../source/document.ts';
import { annotator } from './annotate.ts';
import { discoveryResponse, responseValue } from './discovery-response.ts';
import { type OutputFormat, textOf } from './format.ts';

/** One file to write; `path` is relative to the output folder, with forward slashes. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
  /** What it lists for Envoy; absent where it is no such list. */
  readonly resources?: readonly OutputResource[];
}

/** One resource of a file, as a value. */
export type OutputResource = Pick<Resource, 'type' | 'name' | 'json'>;

export interface PlanOptions {
  /** The inputs, for the lines of origins. */
  readonly files: readonly SourceFile[];
  /** Put origins into the output too. */
  readonly isAnnotated?: boolean;
  /** JSON when absent. */
  readonly format?: OutputFormat;
}

/**
 * The files of a compilation, one proxy after the other: a big mesh is never in memory as a whole. Texts of
 * resource lists that proxies have in common are put together once.
 */
export function* planFiles(
  compilation: Pick<Compilation, 'configs' | 'mesh'>,
  { files, isAnnotated, format = 'json' }: PlanOptions,
): Generator<OutputFile> {
  const locate = createLocator(files);
  const annotate = annotatorFor(locate, isAnnotated);
  const respond = sharedResponses(format);
  const list = (path: string, resources: readonly Resource[]): OutputFile => {
    const annotated = resources.map(annotate);
    return { path: path.replace(/json$/, format), text: respond(annotated), resources: annotated };
  };
  for (const config of compilation.configs) {
    const folder = proxyFolder(config);
    yield list(`${folder}/clusters.json`, config.clusters);
    for (const route of config.routes) yield list(`${folder}/routes/${routeFileName(route.name)}`, [route]);
    yield list(`${folder}/listeners.json`, config.listeners);
    yield { path: `${folder}/bootstrap.${format}`, text: textOf(annotate(config.bootstrap).json, format) };
    yield { path: `${folder}/origins.${format}`, text: textOf(originsJson(config, locate), format) };
  }
  yield { path: `mesh.${format}`, text: textOf(compilation.mesh, format) };
}

/** The files of one proxy as one document: `bootstrap`, `listeners`, `clusters`, `routes` by name, `origins`, `mesh`. */
export function oneDocument(
  { mesh }: Pick<Compilation, 'mesh'>,
  config: EnvoyConfig,
  { files, isAnnotated, format = 'json' }: PlanOptions,
): string {
  const locate = createLocator(files);
  const annotate = annotatorFor(locate, isAnnotated);
  const respond = (resources: readonly Resource[]) => responseValue(resources.map(annotate));
  const document = {
    bootstrap: annotate(config.bootstrap).json,
    listeners: respond(config.listeners),
    clusters: respond(config.clusters),
    routes: Object.fromEntries(config.routes.map((route) => [route.name, respond([route])])),
    origins: originsJson(config, locate),
    mesh,
  };
  return textOf(document, format);
}

function annotatorFor(locate: Locate, isAnnotated = false): (resource: Resource) => Resource {
  return isAnnotated ? annotator(locate) : (resource) => resource;
}

/**
 * What stands beside the files that Envoy reads, by name: each text is put together when it is asked for, and kept by
 * nobody.
 */
export function filesBeside(
  compilation: Pick<Compilation, 'mesh'>,
  config: EnvoyConfig,
  files: readonly SourceFile[],
): ReadonlyMap<string, () => string> {
  return new Map([
    ['origins.json', () => textOf(originsJson(config, createLocator(files)), 'json')],
    ['mesh.json', () => textOf(compilation.mesh, 'json')],
  ]);
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
function sharedResponses(format: OutputFormat, kept = 8): (resources: readonly Resource[]) => string {
  const responseText = (resources: readonly Resource[]): string =>
    format === 'json' ? discoveryResponse(resources).text : textOf(responseValue(resources), format);
  const single = new WeakMap<Resource, string>();
  const recent: { readonly resources: readonly Resource[]; readonly text: string }[] = [];
  return (resources) => {
    const only = resources.length === 1 ? resources[0] : undefined;
    if (only !== undefined) {
      const text = single.get(only) ?? responseText(resources);
      single.set(only, text);
      return text;
    }
    const at = recent.findIndex((entry) => isSame(entry.resources, resources));
    const [known] = at === -1 ? [] : recent.splice(at, 1);
    const entry = known ?? { resources, text: responseText(resources) };
    if (recent.unshift(entry) > kept) recent.pop();
    return entry.text;
  };
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a.length === b.length && a.every((resource, index) => resource === b[index]);
}
