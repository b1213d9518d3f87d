import { authorizationPolicy, peerAuthentication } from '../../src/testbed/mesh-objects.ts';
import type { TestbedRequest } from '../../src/testbed/testbed.ts';
import { gateway } from './fleet-mesh.ts';

/** A file that is edited, and a request whose outcome changes with it. */
export interface FleetChange {
  readonly title: string;
  /** Head of its column. */
  readonly short: string;
  readonly file: string;
  /** `<kind>/<namespace>/<name>` */
  readonly object: string;
  readonly content: object;
  readonly request: TestbedRequest;
  /** Status before and after; `000`: no HTTP answer. */
  readonly before: string;
  readonly after: string;
}

const principal = (name: string): string => `cluster.local/ns/shop/sa/${name}`;

const paymentsAllow = (...names: readonly string[]): object =>
  authorizationPolicy({
    ...{ namespace: 'shop', name: 'payments', app: 'payments', action: 'ALLOW' },
    rules: [{ from: [{ source: { principals: names.map(principal) } }] }],
  });

export const fleetChanges: readonly FleetChange[] = [
  {
    ...{ title: 'mutual TLS is STRICT in the mesh', short: 'STRICT', file: 'strict.yaml' },
    object: 'PeerAuthentication/mesh-system/default',
    content: peerAuthentication({ namespace: 'mesh-system', mode: 'STRICT' }),
    ...{ request: { from: 'outside/client', to: 'payments.shop' }, before: '200', after: '000' },
  },
  {
    ...{ title: 'payments answers frontend alone', short: 'ALLOW', file: 'payments.yaml' },
    object: 'AuthorizationPolicy/shop/payments',
    content: paymentsAllow('frontend'),
    ...{ request: { from: 'shop/mail', to: 'payments.shop' }, before: '200', after: '403' },
  },
  {
    ...{ title: 'the gateway denies /headers', short: 'DENY', file: 'gateway.yaml' },
    object: 'AuthorizationPolicy/mesh-system/no-headers',
    content: authorizationPolicy({
      ...{ namespace: 'mesh-system', name: 'no-headers', app: 'edge', action: 'DENY' },
      rules: [{ to: [{ operation: { paths: ['/headers'] } }] }],
    }),
    request: { from: 'outside/client', to: gateway.host, port: gateway.port, path: '/headers' },
    ...{ before: '200', after: '403' },
  },
];

/** Made while meshd is away. */
export const changeWhileAway: FleetChange = {
  ...{ title: 'payments answers mail too', short: 'while away', file: 'payments.yaml' },
  object: 'AuthorizationPolicy/shop/payments',
  content: paymentsAllow('frontend', 'mail'),
  ...{ request: { from: 'shop/mail', to: 'payments.shop' }, before: '403', after: '200' },
};
