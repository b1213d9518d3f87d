import type { JsonPath } from '../../diagnostics/span.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { type Reference, referencesOf } from '../../envoy/api/references.ts';
import type { EnvoyConfig, Resource } from '../render/resource.ts';
import type { Findings } from './finding.ts';
import { isServedSecret } from './names.ts';

/** Every name that a resource uses belongs to something that this configuration has; Envoy itself does not look. */
export function checkReferences(config: EnvoyConfig, findingsOf: (resource: Resource) => Findings): void {
  const fixed = new Fragment(config.bootstrap.json).at('static_resources', 'clusters').items;
  const clusters = new Set([
    ...fixed.map((cluster) => cluster.at('name').value),
    ...config.clusters.map((cluster) => cluster.json.name),
  ]);
  const routes = new Set(config.routes.map((route) => route.json.name));
  for (const resource of [config.bootstrap, ...config.listeners, ...config.routes, ...config.clusters]) {
    for (const reference of referencesOf(resource.json)) {
      const { to, name, path } = reference;
      const isKnown = to === 'secret' ? isServedSecret(name) : (to === 'route' ? routes : clusters).has(name);
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
