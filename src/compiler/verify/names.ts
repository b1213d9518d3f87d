import { Fragment } from '../../envoy/api/fragment.ts';
import { namesUsedIn, type UsedNames } from '../../envoy/api/references.ts';
import type { EnvoyConfig, Resource, ResourceSet } from '../render/resource.ts';

/** The agent serves the workload's key pair and the mesh's root under these names. */
const secrets = new Set(['default', 'ROOTCA']);

/** Secrets of a gateway's namespace, which the agent serves when they are there. */
const gatewaySecrets = 'kubernetes://';

/** Whether an agent serves a secret of this name. */
export function isServedSecret(name: string): boolean {
  return secrets.has(name) || name.startsWith(gatewaySecrets);
}

/** What a part of a configuration declares, and what it uses of the others. */
export interface Names {
  readonly listeners: ReadonlyMap<unknown, Resource | undefined>;
  readonly clusters: ReadonlyMap<unknown, Resource | undefined>;
  readonly routes: ReadonlyMap<unknown, Resource | undefined>;
  /** Names that are used here and declared elsewhere, if anywhere. */
  readonly openClusters: ReadonlySet<string>;
  readonly openRoutes: ReadonlySet<string>;
  /** A name is declared twice, or a secret is asked for that nobody serves. */
  readonly isFaulty: boolean;
}

/** Many proxies share a set, which never changes: its names are gathered once. */
const known = new WeakMap<ResourceSet, Names>();

/**
 * Whether each name is declared once, and each name that is used is declared: the question that `checkNames` and
 * `checkReferences` answer with places. Costs what is the proxy's own, not what it shares.
 */
export function hasSoundNames({ own, shared }: Pick<EnvoyConfig, 'own' | 'shared'>, ofBootstrap: Names): boolean {
  const parts = [ofBootstrap, namesOf(own), namesOf(shared)];
  return parts.every(
    (part) =>
      !part.isFaulty &&
      parts.every((other) => part === other || !declaresAgain(part, other)) &&
      [...part.openClusters].every((name) => parts.some(({ clusters }) => clusters.has(name))) &&
      [...part.openRoutes].every((name) => parts.some(({ routes }) => routes.has(name))),
  );
}

function declaresAgain(a: Names, b: Names): boolean {
  return (['listeners', 'clusters', 'routes'] as const).some((list) => {
    const [few, many] = a[list].size < b[list].size ? [a[list], b[list]] : [b[list], a[list]];
    // One resource that both parts have stands in the configuration once; none of the bootstrap's is a resource.
    return [...few].some(([name, resource]) => many.has(name) && many.get(name) !== resource);
  });
}

function namesOf(set: ResourceSet): Names {
  let names = known.get(set);
  if (names === undefined) {
    names = joined(listNames(set.listeners), listNames(set.clusters), listNames(set.routes));
    known.set(set, names);
  }
  return names;
}

/** What a bootstrap declares itself, and what it uses. */
export function namesOfBootstrap(bootstrap: Resource): Names {
  const fixed = new Fragment(bootstrap.json).at('static_resources');
  const declared = (list: 'listeners' | 'clusters') =>
    new Map(fixed.at(list).items.map((item) => [item.at('name').value, undefined] as const));
  const all = { listeners: declared('listeners'), clusters: declared('clusters'), routes: new Map() };
  const used = usedBy(bootstrap);
  return { ...all, ...openIn(all, [used]), isFaulty: ![...used.secret].every(isServedSecret) };
}

/** What the resources of one list are called, and what they use. */
interface ListNames extends UsedNames {
  readonly declared: ReadonlyMap<unknown, Resource>;
  readonly isFaulty: boolean;
}

/** A change leaves most lists of a scope as they were, and many scopes share one. */
const knownLists = new WeakMap<readonly Resource[], ListNames>();

function listNames(list: readonly Resource[]): ListNames {
  let names = knownLists.get(list);
  if (names === undefined) {
    const declared = new Map(list.map((resource) => [resource.json.name, resource] as const));
    const used = usedByAll(list);
    names = { ...used, declared, isFaulty: declared.size !== list.length || ![...used.secret].every(isServedSecret) };
    knownLists.set(list, names);
  }
  return names;
}

function joined(listeners: ListNames, clusters: ListNames, routes: ListNames): Names {
  const lists = [listeners, clusters, routes];
  const declared = { listeners: listeners.declared, clusters: clusters.declared, routes: routes.declared };
  return { ...declared, ...openIn(declared, lists), isFaulty: lists.some(({ isFaulty }) => isFaulty) };
}

function openIn(
  { clusters, routes }: Pick<Names, 'clusters' | 'routes'>,
  users: readonly UsedNames[],
): Pick<Names, 'openClusters' | 'openRoutes'> {
  const open = (uses: 'cluster' | 'route', declared: ReadonlyMap<unknown, unknown>): ReadonlySet<string> =>
    new Set(users.flatMap((used) => [...used[uses]].filter((name) => !declared.has(name))));
  return { openClusters: open('cluster', clusters), openRoutes: open('route', routes) };
}

/** Each name once. */
function usedByAll(resources: readonly Resource[]): UsedNames {
  const all = { cluster: new Set<string>(), route: new Set<string>(), secret: new Set<string>() };
  for (const resource of resources) {
    const { cluster, route, secret } = usedBy(resource);
    for (const name of cluster) all.cluster.add(name);
    for (const name of route) all.route.add(name);
    for (const name of secret) all.secret.add(name);
  }
  return all;
}

/** A resource stands in the sets of many client scopes. */
const used = new WeakMap<Resource, UsedNames>();

function usedBy(resource: Resource): UsedNames {
  let names = used.get(resource);
  if (names === undefined) {
    names = namesUsedIn(resource.json);
    used.set(resource, names);
  }
  return names;
}
