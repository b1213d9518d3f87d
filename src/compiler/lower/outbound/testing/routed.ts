import type { HttpRoute, VirtualService } from '../../../../policy/virtual-service.ts';
import { virtualService } from '../../../../testing/objects.ts';
import { meshService, ports } from '../../../../testing/topology.ts';
import type { OutboundIR } from '../../../ir/proxy.ts';
import type { EffectiveVirtualService } from '../../../merge/effective-virtual-service.ts';

/** An object of namespace `default`, as merging gives it. */
export function routed(name: string, spec: VirtualService['spec']): EffectiveVirtualService {
  const object = virtualService(`default/${name}`, spec);
  const blocks = (spec.http ?? []).map((route, i) => ({ route, owner: object, path: ['spec', 'http', i] }));
  return { ...object, blocks };
}

/** A route that sends all to one host. */
export const to = (host: string, fields: Partial<HttpRoute> = {}): HttpRoute => ({
  route: [{ destination: { host } }],
  ...fields,
});

/** The virtual hosts of a table, each with its routes' names and clusters. */
export function table({ routes }: Pick<OutboundIR, 'routes'>, name: string): Record<string, string[]> {
  const hosts = routes.find((table) => table.name === name)?.virtualHosts ?? [];
  return Object.fromEntries(
    hosts.map((host) => [
      host.name,
      host.routes.map(({ name: route, action }) => `${route} ${'cluster' in action ? action.cluster : action.kind}`),
    ]),
  );
}

/** Three services that routes lead to. */
export const web = meshService('default/web', { ports: ports('80/http'), addresses: ['10.0.0.1'] });
export const api = meshService('default/api', { ports: ports('80/http'), addresses: ['10.0.0.2'] });
export const admin = meshService('default/admin', { ports: ports('8080/http') });

/** Name of a service's cluster at a port. */
export const cluster = (name: string, port = 80): string => `outbound|${port}||${name}.default.svc.cluster.local`;
