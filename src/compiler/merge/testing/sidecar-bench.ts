import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { Sidecar } from '../../../policy/sidecar.ts';
import * as make from '../../../testing/objects.ts';
import { createAnalyser } from '../../analyse.ts';

const http = [{ name: 'http', port: 80 }];
const app = (name: string) => ({ selector: { app: name }, ports: http });
const inject = (name: string) => make.namespace(name, { 'mesh-injection': 'enabled' });

/** Namespaces `a` and `b`: two clients in `a`, services in both. */
export const sidecarMesh = [
  ...['a', 'b', 'mesh-system'].map(inject),
  make.pod({ name: 'a/client', labels: { app: 'client', tier: 'front' } }, '10.0.0.1'),
  make.pod({ name: 'a/web', labels: { app: 'web' } }, '10.0.0.2'),
  make.pod({ name: 'b/reviews', labels: { app: 'reviews' } }, '10.0.0.3'),
  make.service('a/web', app('web')),
  make.service('b/reviews', app('reviews')),
  make.service('b/ratings', app('ratings')),
];

/** Beside {@link sidecarMesh}. */
export type Extra = Parameters<ReturnType<typeof createAnalyser>>[0];

/** What each workload of {@link sidecarMesh} imports, and what was said. */
export function analysed(objects: Extra, settings: Partial<Settings> = {}) {
  const bag = new DiagnosticBag();
  const snapshot = createAnalyser({ ...defaultSettings, ...settings })([...sidecarMesh, ...objects], bag);
  const scopeOf = (name: string) => {
    const workload = snapshot?.topology.workloads.find((it) => `${it.namespace}/${it.name}` === name);
    if (snapshot === undefined || workload === undefined) throw new Error(bag.all.map((it) => it.message).join('\n'));
    return snapshot.scopeOf(workload);
  };
  return {
    scopeOf,
    hosts: (name: string) =>
      (snapshot?.effective.outbound(scopeOf(name)) ?? []).map(({ service }) => service.host.split('.svc')[0]).sort(),
    routes: (name: string) => (snapshot?.effective.virtualServices(scopeOf(name)) ?? []).map((it) => it.name),
    said: bag.all
      .filter(({ code }) => !/^(service-|policy-without)/.test(code))
      .map(({ code, message }) => `${code}: ${message}`),
  };
}

/** A Sidecar of one egress listener without a port. */
export const importing = (name: string, hosts: readonly string[], rest: Partial<Sidecar['spec']> = {}): Sidecar =>
  make.sidecar(name, { egress: [{ hosts }], ...rest });
