import type { JsonPath } from '../../diagnostics/span.ts';
import type { EnvoyConfig, Resource } from '../render/resource.ts';
import type { Findings } from './finding.ts';
import { Fragment, snakeCase } from './fragment.ts';

/** A name of something else, as one resource uses it. */
interface Reference {
  readonly to: 'cluster' | 'route' | 'secret';
  readonly name: string;
  readonly path: JsonPath;
}

/** The agent serves the workload's key pair and the mesh's root under these names. */
const secrets = new Set(['default', 'ROOTCA']);

/** Secrets of a gateway's namespace, which the agent serves when they are there. */
const gatewaySecrets = 'kubernetes://';

/** Every name that a resource uses belongs to something that this configuration has; Envoy itself does not look. */
export function checkReferences(config: EnvoyConfig, findingsOf: (resource: Resource) => Findings): void {
  const fixed = new Fragment(config.bootstrap.json).at('static_resources', 'clusters').items;
  const clusters = new Set([
    ...fixed.map((cluster) => cluster.at('name').value),
    ...config.clusters.map((cluster) => cluster.json.name),
  ]);
  const routes = new Set(config.routes.map((route) => route.json.name));
  for (const resource of [config.bootstrap, ...config.listeners, ...config.routes, ...config.clusters]) {
    for (const reference of referencesOf(resource)) {
      const { to, name, path } = reference;
      const isKnown =
        (to === 'secret' ? secrets : to === 'route' ? routes : clusters).has(name) ||
        (to === 'secret' && name.startsWith(gatewaySecrets));
      if (!isKnown) report(reference, findingsOf(resource), path);
    }
  }
}

function report({ to, name }: Reference, findings: Findings, path: JsonPath): void {
  const resource = findings.label;
  if (to === 'cluster') findings.report('output-unknown-cluster', path, { resource, cluster: name });
  else if (to === 'route') findings.report('output-unknown-route', path, { resource, route: name });
  else findings.report('output-unknown-secret', path, { resource, secret: name });
}

/** Shared resources are searched once, however many proxies carry them. */
const known = new WeakMap<Resource, readonly Reference[]>();

function referencesOf(resource: Resource): readonly Reference[] {
  let references = known.get(resource);
  if (references === undefined) {
    references = collect(resource);
    known.set(resource, references);
  }
  return references;
}

/** Free-form parts, whose keys are the user's; and endpoints, the bulk of a cluster, which name nothing else. */
const opaque = new Set(['node', 'metadata', 'json_format', 'load_assignment']);

function collect({ json, placeInTemplate }: Resource): Reference[] {
  // Ours are written in snake case.
  const spelling = placeInTemplate === undefined ? (field: string): string => field : snakeCase;
  const references: Reference[] = [];
  const path: (string | number)[] = [];
  const add = (to: Reference['to'], name: unknown, ...steps: readonly (string | number)[]): void => {
    if (typeof name === 'string') references.push({ to, name, path: [...path, ...steps] });
  };
  const visit = (node: object, under: string): void => {
    for (const written in node) {
      const value = (node as Record<string, unknown>)[written];
      const key = spelling(written);
      if (typeof value === 'string') {
        if (key === 'cluster' || (under === 'envoy_grpc' && key === 'cluster_name')) add('cluster', value, key);
        else if (key === 'route_config_name') add('route', value, key);
        else if (key === 'name' && (under.endsWith('sds_secret_config') || under.endsWith('sds_secret_configs'))) {
          add('secret', value, key);
        } else if (key === 'name' && under === 'clusters' && path.at(-3) === 'weighted_clusters') {
          add('cluster', value, key);
        }
      } else if (typeof value === 'object' && value !== null && !opaque.has(key)) {
        path.push(Array.isArray(node) ? Number(key) : key);
        visit(value as object, Array.isArray(node) ? under : key);
        path.pop();
      }
    }
  };
  visit(json, '');
  return references;
}
