import type { JsonPath } from '../../diagnostics/span.ts';

/** A name of something else, as one message uses it. */
export interface Reference {
  readonly to: 'cluster' | 'route' | 'secret';
  readonly name: string;
  readonly path: JsonPath;
}

/** Messages are shared by many proxies and never change: searched once. */
const known = new WeakMap<object, readonly Reference[]>();

/** Every name of a cluster, route configuration or secret that a message in canonical form uses, in the order of its text. */
export function referencesOf(message: object): readonly Reference[] {
  let references = known.get(message);
  if (references === undefined) {
    references = collect(message);
    known.set(message, references);
  }
  return references;
}

/** Names that one message uses, each once. */
export type UsedNames = Readonly<Record<Reference['to'], ReadonlySet<string>>>;

/** Virtual hosts stand in the tables of many proxies. */
const usedByHosts = new WeakMap<object, UsedNames>();

function namesUsedByHost(host: object): UsedNames {
  let names = usedByHosts.get(host);
  if (names === undefined) {
    names = namesUsedIn(host);
    usedByHosts.set(host, names);
  }
  return names;
}

/** The names of `referencesOf` without their places, for which the message is gone through faster. */
export function namesUsedIn(message: object): UsedNames {
  // A set only where there are names: thousands of messages are remembered, most of which use names of one kind at most.
  const names: Partial<Record<Reference['to'], Set<string>>> = {};
  const add = (to: Reference['to'], name: string): void => {
    names[to] ??= new Set();
    names[to].add(name);
  };
  const addHost = (host: object): void => {
    const { cluster, route, secret } = namesUsedByHost(host);
    for (const name of cluster) add('cluster', name);
    for (const name of route) add('route', name);
    for (const name of secret) add('secret', name);
  };
  const visit = (node: object, under: string, over: string): void => {
    if (Array.isArray(node)) {
      for (const item of node) {
        if (typeof item !== 'object' || item === null) continue;
        if (under === 'virtual_hosts') addHost(item);
        else visit(item, under, over);
      }
      return;
    }
    for (const key in node) {
      const value = (node as Readonly<Record<string, unknown>>)[key];
      if (typeof value === 'string') {
        const to = referenceOf(key, under, over);
        if (to !== undefined) add(to, value);
      } else if (typeof value === 'object' && value !== null && !opaque.has(key)) visit(value, key, under);
    }
  };
  visit(message, '', '');
  const { cluster = nothing, route = nothing, secret = nothing } = names;
  return { cluster, route, secret };
}

const nothing: ReadonlySet<string> = new Set();

/** Free-form parts, whose keys are the user's; and endpoints, the bulk of a cluster, which name nothing else. */
const opaque = new Set(['node', 'metadata', 'json_format', 'load_assignment']);

function collect(message: object): Reference[] {
  const references: Reference[] = [];
  const path: (string | number)[] = [];
  const visit = (node: object, under: string, over: string): void => {
    const isList = Array.isArray(node);
    for (const key in node) {
      const value = (node as Readonly<Record<string, unknown>>)[key];
      if (typeof value === 'string') {
        const to = isList ? undefined : referenceOf(key, under, over);
        if (to !== undefined) references.push({ to, name: value, path: [...path, key] });
      } else if (typeof value === 'object' && value !== null && !opaque.has(key)) {
        path.push(isList ? Number(key) : key);
        if (isList) visit(value, under, over);
        else visit(value, key, under);
        path.pop();
      }
    }
  };
  visit(message, '', '');
  return references;
}

/** What the string at `key` of a message names; `under` is the field in which the message stands, `over` that of its parent. */
function referenceOf(key: string, under: string, over: string): Reference['to'] | undefined {
  if (key === 'cluster' || (key === 'cluster_name' && under === 'envoy_grpc')) return 'cluster';
  if (key === 'route_config_name') return 'route';
  if (key !== 'name') return undefined;
  if (under.endsWith('sds_secret_config') || under.endsWith('sds_secret_configs')) return 'secret';
  return under === 'clusters' && over === 'weighted_clusters' ? 'cluster' : undefined;
}

/**
 * Whether a message asks over SDS for one of these secrets: an `SdsSecretConfig` with a source, in whatever field and
 * with its own fields in whatever order.
 */
export function asksForSecret(message: unknown, names: ReadonlySet<unknown>): boolean {
  if (typeof message !== 'object' || message === null) return false;
  const { name, sds_config: source } = message as { readonly name?: unknown; readonly sds_config?: unknown };
  if (source !== undefined && names.has(name)) return true;
  return Object.values(message).some((child) => asksForSecret(child, names));
}
