import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { TopologyObject } from '../../../policy/topology-kinds.ts';
import * as make from '../../../testing/objects.ts';
import { resolveTopology } from '../resolve.ts';

/** What a set of objects resolves to, services with their ready endpoints; of each diagnostic its code and place. */
export function resolve(objects: readonly TopologyObject[], settings: Partial<Settings> = {}) {
  const bag = new DiagnosticBag();
  const topology = resolveTopology(objects, { ...defaultSettings, ...settings }, bag);
  const diagnostics = bag.all.map(({ code, span }) => [code, span?.file]);
  const services = topology.services.map((service) => ({
    ...service,
    endpoints: topology.endpoints.get(service) ?? [],
  }));
  return { ...topology, services, diagnostics };
}

/** Labels of the pods behind the service `shop/web`. */
export const app = { app: 'web' };

/** The service, by the name of its pods' port. */
export const web = make.service('shop/web', {
  clusterIP: '10.96.0.1',
  selector: app,
  ports: [{ name: 'http', port: 80, targetPort: 'web' }],
});

/** The container that serves it. */
export const container = { name: 'app', ports: [{ name: 'web', containerPort: 8080 }] };

/** Two pods behind it, of which the first has a sidecar. */
export const webPod = make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.1', {
  serviceAccountName: 'web',
  containers: [container, { name: 'mesh-proxy' }],
});
export const webWithout = make.pod({ name: 'shop/web-2', labels: app }, '10.0.0.2', { containers: [container] });
