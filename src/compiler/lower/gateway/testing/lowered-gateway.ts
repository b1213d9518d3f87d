import { expect } from 'vitest';
import { defaultSettings } from '../../../../config/defaults.ts';
import type { Settings } from '../../../../config/settings.ts';
import { DiagnosticBag } from '../../../../diagnostics/bag.ts';
import type { Gateway, Server } from '../../../../policy/gateway.ts';
import type { HttpRoute, TcpRoute, TlsRoute } from '../../../../policy/virtual-service.ts';
import { meshObject } from '../../../../testing/objects.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  meshService,
  meshWorkload,
  ports,
} from '../../../../testing/topology.ts';
import type { InboundIR } from '../../../ir/proxy.ts';
import type { EffectiveVirtualService } from '../../../merge/effective-virtual-service.ts';
import { Memo } from '../../memo.ts';
import { lowerGateway } from '../gateway.ts';
import { noClosingSecrets } from '../secrets.ts';

const web = meshService('shop/web');
/** Of a server that ends TLS. */
export const files = { serverCertificate: '/cert', privateKey: '/key' };

/** A server on `NUMBER/PROTOCOL`. */
export function server(port: string, hosts: readonly string[], tls?: Server['tls']): Server {
  const [number = '', protocol = ''] = port.split('/');
  return {
    port: { number: Number(number), name: `${protocol}-${hosts.join('-')}`, protocol },
    hosts,
    ...(tls && { tls }),
  };
}

/** A Gateway that selects the workload of `lowered`. */
export function gateway(name: string, ...servers: readonly Server[]): Gateway {
  return { ...meshObject('Gateway', name), spec: { servers } };
}

interface Routes {
  readonly http?: readonly HttpRoute[];
  readonly tls?: readonly TlsRoute[];
  readonly tcp?: readonly TcpRoute[];
}

/** Destinations of a route to the one service of the mesh. */
export const toWeb = [{ destination: { host: 'web.shop.svc.cluster.local', port: { number: 8000 } } }];

/** A VirtualService for `shop/edge` whose requests go to the one service, unless told otherwise. */
export function virtualService(
  name: string,
  hosts: readonly string[],
  routes: Routes = { http: [{ route: toWeb }] },
  gateways: readonly string[] = ['shop/edge'],
): EffectiveVirtualService {
  const object = { ...meshObject('VirtualService', name), spec: { hosts, gateways, ...routes } };
  const blocks = (routes.http ?? []).map((route, i) => ({ route, owner: object, path: ['spec', 'http', i] }));
  return { ...object, blocks };
}

/** What one gateway workload serves, and the codes of what was said about it. */
export function lowered(
  gateways: readonly Gateway[],
  virtualServices: readonly EffectiveVirtualService[] = [virtualService('shop/web', ['*'])],
  { settings, targets = [] }: { readonly settings?: Partial<Settings>; readonly targets?: readonly number[] } = {},
): { readonly inbound: InboundIR; readonly codes: readonly string[] } {
  const bag = new DiagnosticBag();
  const own = meshService('mesh-system/edge', { ports: ports('80/http', '443/https') });
  const workload = meshWorkload('mesh-system/edge', [], {
    role: 'router',
    targets: own.ports.flatMap((port, i) => {
      const targetPort = targets[i];
      return targetPort === undefined ? [] : [{ service: own, port, targetPort }];
    }),
  });
  const answers = {
    ...effective([effectiveOutbound(web)]),
    gateways: () => gateways,
    virtualServices: () => virtualServices,
  };
  const scope = clientScope({ namespace: 'mesh-system', role: 'router' });
  const lowering = { settings: { ...defaultSettings, ...settings }, memo: new Memo() };
  const lower = (): InboundIR =>
    lowerGateway(workload, { effective: answers, scope, secrets: [], closing: noClosingSecrets }, lowering, bag);
  const inbound = lower();
  expect(lower(), 'an unchanged input gives the identical object').toBe(inbound);
  return { inbound, codes: bag.all.map(({ code }) => code) };
}

/** Domains of each virtual host with the status or cluster of its routes. */
export function hostsOf({ routes }: InboundIR, table = 0): Readonly<Record<string, unknown>> {
  const hosts = routes[table]?.virtualHosts ?? [];
  const answers = hosts.map(({ domains, routes: own }) => [
    domains.join(' '),
    own.map(({ action }) => ('status' in action ? action.status : action.kind === 'cluster' ? 'web' : action.kind)),
  ]);
  return Object.fromEntries(answers);
}
