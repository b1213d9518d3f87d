import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { predict } from '../../testing/gauge-prediction.ts';
import { compileGauged, peerAuthentication } from '../../testing/gauged-mesh.ts';
import type { ClientTls } from '../request.ts';
import { Signatures } from '../signatures.ts';
import { travel } from './travel.ts';

const address = '10.1.0.1';
const judge = { now: 0, signatures: new Signatures() };
const client: ClientTls = { serverName: 'shop.example', alpn: [] };

const named = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: named, namespace: foo}
spec: {rules: [{when: [{key: connection.sni, values: [shop.example]}]}]}
`;

/** What becomes of TLS that a client speaks to a port with bytes (9000) or HTTP (8080). */
async function outcomeOf(mode: string, port: number, policies = '') {
  const workload = await compileGauged(address, `${peerAuthentication(mode)}---\n${policies}`);
  const protocol = port === 9000 ? 'bytes' : 'http/1.1';
  const request = port === 9000 ? undefined : { method: 'GET', path: '/', authority: 'shop.example', headers: [] };
  const connection = { source: '10.9.0.5', destination: { address, port }, protocol, tls: client } as const;
  const [only, ...others] = predict(
    workload,
    { connection, ...(request !== undefined && { request }) },
    request,
    judge,
  );
  expect(others).toEqual([]);
  return only?.result.outcome;
}

describe('the server name of TLS that goes on to the application', () => {
  test('is known where the proxy looks for the certificates of the mesh', async () => {
    expect(await outcomeOf('PERMISSIVE', 9000, named)).toMatchObject({ kind: 'reaches', tls: client });
  });

  test('is not known where it takes plain text alone, since no inspector reads it', async () => {
    expect(await outcomeOf('DISABLE', 9000, named)).toMatchObject({ kind: 'closed', exitCodes: [35] });
  });

  test('goes on also where rules do not know it', async () => {
    expect(await outcomeOf('DISABLE', 9000)).toMatchObject({ kind: 'reaches', tls: client });
  });
});

test('curl takes the answer to TLS on a port with HTTP in plain text for a fault of TLS', async () => {
  expect(await outcomeOf('DISABLE', 8080)).toMatchObject({ kind: 'closed', exitCodes: [35] });
});

test('curl sees no end of its handshake where a gateway passes TLS on to nobody', () => {
  const world = compiledWorld([passingOn]);
  const ways = travel(
    world,
    {
      from: { kind: 'outside', address: '10.9.0.5', tls: client },
      to: { address: '10.200.0.1', port: 443 },
      protocol: 'http/1.1',
      request: { method: 'GET', path: '/', authority: 'shop.example', headers: [] },
    },
    judge,
  );
  expect(ways.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'closed', exitCodes: [35], details: 'no_healthy_upstream' },
  ]);
});

const passingOn = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: foo}
spec: {clusterIP: 10.96.0.1, selector: {app: shop}, ports: [{port: 443, name: tls}]}
---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {serviceAccountName: edge, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: 10.200.0.1}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec:
  selector: {app: edge}
  servers: [{port: {number: 443, name: tls, protocol: TLS}, hosts: [shop.example], tls: {mode: PASSTHROUGH}}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: shop, namespace: foo}
spec:
  hosts: [shop.example]
  gateways: [edge]
  tls: [{match: [{port: 443, sniHosts: [shop.example]}], route: [{destination: {host: shop, port: {number: 443}}}]}]
`;
