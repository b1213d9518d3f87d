import type { NamedObject } from '../../contracts/named-object.ts';
import { type FragmentFields, noOrigins, type OriginsFile, readOriginsFile } from '../../contracts/origins-file.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { parsePath } from '../../diagnostics/json-path.ts';
import type { EnvoyResource, ResourceFile } from '../../envoy/api/resource-file.ts';
import { lookup } from '../../lib/lookup.ts';
import { compareStrings } from '../../lib/sort.ts';

export type ResourceKind = keyof Omit<OriginsFile, 'format'>;

/** One resource of a configuration. */
export interface KindedResource {
  readonly kind: ResourceKind;
  readonly resource: EnvoyResource;
}

/** All resources, clusters first and listeners last: none refers to a later one. */
export function resourcesOf({ clusters, routes, listeners }: ProxyFiles): readonly KindedResource[] {
  const take = (kind: ResourceKind, { resources }: ResourceFile): readonly KindedResource[] =>
    resources.map((resource) => ({ kind, resource }));
  return [
    ...take('clusters', clusters),
    ...[...routes.values()].flatMap((file) => take('routes', file)),
    ...take('listeners', listeners),
  ];
}

/** Resources of `next` that `before` does not have in this form. */
export function changedResources(before: ProxyFiles, next: ProxyFiles): readonly KindedResource[] {
  const known = new Set(resourcesOf(before).map(identify));
  return resourcesOf(next).filter((resource) => !known.has(identify(resource)));
}

function identify({ kind, resource }: KindedResource): string {
  return `${kind} ${resource.version}`;
}

/**
 * The objects that decided what is new in these resources: the deciders of the smallest fragments that the resource of
 * the same name did not hold before, and of the whole resource where there was none of its name: its name, address and
 * port are theirs. Sorted; empty when no origins are known.
 */
export async function suspectsOf(
  resources: readonly KindedResource[],
  before: ProxyFiles,
  next: ProxyFiles,
): Promise<readonly NamedObject[]> {
  const origins = await originsOf(next);
  const old = new Map(resourcesOf(before).map(({ kind, resource }) => [`${kind} ${resource.name}`, resource]));
  const oldOrigins = await originsOf(before);
  const found = new Map<string, NamedObject>();
  for (const { kind, resource } of resources) {
    const { name, json } = resource;
    const before = old.get(`${kind} ${name}`)?.json;
    const known = new Set(
      (lookup(oldOrigins[kind], name) ?? []).map(({ path }) => JSON.stringify(fragment(before, path))),
    );
    const isNew = ({ path }: FragmentFields): boolean => !known.has(JSON.stringify(fragment(json, path)));
    const changed = (lookup(origins[kind], name) ?? []).filter(isNew);
    const isWholeAndNew = (path: string): boolean => path === '' && before === undefined;
    const smallest = changed.filter(
      ({ path }) => isWholeAndNew(path) || !changed.some((other) => isBelow(other.path, path)),
    );
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
  const named = changed.filter(({ resource: { name } }) => name !== '' && message.includes(name));
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

async function originsOf({ beside }: ProxyFiles): Promise<OriginsFile> {
  const text = await beside.get('origins.json');
  return text === undefined ? noOrigins : readOriginsFile(text);
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
