import { parsePath } from '../../diagnostics/json-path.ts';
import { compareStrings } from '../../lib/sort.ts';
import { type ResourceText, resourceTexts } from './cut-resources.ts';
import type { NamedObject } from './observer.ts';
import { noResources, type ProxyFiles } from './proxy-files.ts';

/** What `origins.json` holds: by kind and name of a resource, the fragments that objects decided. */
type Origins = Readonly<Record<ResourceKind, Readonly<Record<string, readonly OriginEntry[]>> | undefined>>;

interface OriginEntry {
  readonly path: string;
  readonly decidedBy: readonly NamedObject[];
}

export type ResourceKind = 'listeners' | 'routes' | 'clusters';

/** One resource of a configuration. */
export interface NamedResource {
  readonly kind: ResourceKind;
  readonly of: ResourceText;
}

/** Takes a file of resources apart, or knows its parts. */
export type CutFile = (text: string) => readonly ResourceText[];

/** All resources, clusters first and listeners last: none refers to a later one. */
export function resourcesOf(
  { clusters, routes, listeners }: ProxyFiles,
  cut: CutFile = resourceTexts,
): readonly NamedResource[] {
  const take = (kind: ResourceKind, text: string): NamedResource[] => cut(text).map((of) => ({ kind, of }));
  return [
    ...take('clusters', clusters),
    ...[...routes.values()].flatMap((text) => take('routes', text)),
    ...take('listeners', listeners),
  ];
}

/** Resources of `next` that `before` does not have in this form. */
export function changedResources(
  before: ProxyFiles,
  next: ProxyFiles,
  cut: CutFile = resourceTexts,
): readonly NamedResource[] {
  const [old, current] = onlyDifferent(before, next);
  const known = new Map(resourcesOf(old, cut).map(({ kind, of }) => [`${kind} ${of.name}`, of.text]));
  return resourcesOf(current, cut).filter(({ kind, of }) => known.get(`${kind} ${of.name}`) !== of.text);
}

/** Without the texts that both have: most changes leave most of a big mesh as it is. */
function onlyDifferent(a: ProxyFiles, b: ProxyFiles): readonly [ProxyFiles, ProxyFiles] {
  const without = (files: ProxyFiles, other: ProxyFiles): ProxyFiles => ({
    ...files,
    clusters: files.clusters === other.clusters ? noResources : files.clusters,
    listeners: files.listeners === other.listeners ? noResources : files.listeners,
    routes: new Map([...files.routes].filter(([name, text]) => other.routes.get(name) !== text)),
  });
  return [without(a, b), without(b, a)];
}

/**
 * The objects that decided what is new in these resources: the deciders of the smallest fragments that the resource of
 * the same name did not hold before. Sorted; empty when no origins are known.
 */
export async function suspectsOf(
  resources: readonly NamedResource[],
  before: ProxyFiles,
  next: ProxyFiles,
): Promise<readonly NamedObject[]> {
  const origins = await originsOf(next);
  const old = new Map(resourcesOf(before).map(({ kind, of }) => [`${kind} ${of.name}`, of]));
  const oldOrigins = await originsOf(before);
  const found = new Map<string, NamedObject>();
  for (const { kind, of } of resources) {
    const { name, value } = of;
    const known = new Set(
      (oldOrigins[kind]?.[name] ?? []).map(({ path }) =>
        JSON.stringify(fragment(old.get(`${kind} ${name}`)?.value, path)),
      ),
    );
    const isNew = ({ path }: OriginEntry): boolean => !known.has(JSON.stringify(fragment(value, path)));
    const changed = (origins[kind]?.[name] ?? []).filter(isNew);
    const smallest = changed.filter(({ path }) => !changed.some((other) => isBelow(other.path, path)));
    for (const { decidedBy } of smallest) {
      for (const { kind, namespace, name, file, line } of decidedBy) {
        const object = { kind, namespace, name, ...(file && { file }), ...(line && { line }) };
        found.set(JSON.stringify(object), object);
      }
    }
  }
  return [...found].sort(([a], [b]) => compareStrings(a, b)).map(([, object]) => object);
}

/** The same for the changed resources that a message of Envoy names. */
export async function suspectsNamedIn(
  message: string,
  before: ProxyFiles,
  next: ProxyFiles,
): Promise<readonly NamedObject[]> {
  const changed = changedResources(before, next);
  const named = changed.filter(({ of }) => of.name !== '' && message.includes(of.name));
  return suspectsOf(named.length > 0 ? named : changed, before, next);
}

/** ` (from KIND NAMESPACE/NAME, FILE:LINE; …)`, at most five; empty for none. */
export function formatSuspects(objects: readonly NamedObject[]): string {
  if (objects.length === 0) return '';
  const texts = objects.slice(0, 5).map(({ kind, namespace, name, file, line }) => {
    const place = file === undefined ? '' : `, ${file}${line === undefined ? '' : `:${line}`}`;
    return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}${place}`;
  });
  return ` (from ${texts.join('; ')}${objects.length > 5 ? '; and others' : ''})`;
}

async function originsOf({ beside }: ProxyFiles): Promise<Partial<Origins>> {
  return JSON.parse((await beside.get('origins.json')) ?? '{}') as Partial<Origins>;
}

function isBelow(path: string, above: string): boolean {
  return path !== above && (above === '' || path.startsWith(`${above}.`) || path.startsWith(`${above}[`));
}

function fragment(value: unknown, path: string): unknown {
  let at = value;
  for (const step of parsePath(path)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}
