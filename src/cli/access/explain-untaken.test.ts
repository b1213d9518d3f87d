import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const gateway = (name: string, port: number, host: string): string => `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: foo}
spec:
  selector: {app: edge}
  servers: [{port: {number: ${port}, name: tls, protocol: TLS}, tls: {mode: PASSTHROUGH}, hosts: [${host}]}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: foo}
spec:
  hosts: [${host}]
  gateways: [${name}]
  tls: [{match: [{sniHosts: [${host}]}], route: [{destination: {host: httpbin, port: {number: 8000}}}]}]
---
`;
const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
${gateway('a', 8443, 'a.example.com')}${gateway('b', 8443, 'b.example.com')}${gateway('c', 9443, 'c.example.com')}`;
const asked = 'explain - --from outside --to foo/edge:8443 --protocol tcp';

describe('a connection that no filter chain of a gateway takes', () => {
  test.each([
    ['--sni c.example.com', 'has the name c.example.com'],
    ['', 'takes connections that name no server'],
  ])('with %j is decided by all Gateways with servers on the port', async (option, why) => {
    const { out } = await run(`${asked} ${option}`, httpbinMesh + edge);
    const by = /Gateway foo\/a spec\.servers\[0\], -:\d+; Gateway foo\/b spec\.servers\[0\], -:\d+/.source;
    expect(out).toMatch(new RegExp(`^000 the connection is closed: no filter chain takes it \\(${by}\\); curl exits`));
    expect(out).toMatch(new RegExp(`\n {4}filter chain: none matches: no server of the port ${why}, by ${by}\n`));
  });
});

test("a port of a gateway that is only its Service's is closed, and the answer has the port to which the Service leads", async () => {
  const service = `apiVersion: v1
kind: Service
metadata: {name: gateway, namespace: foo}
spec: {selector: {app: edge}, clusterIP: 10.96.0.9, ports: [{name: tls, port: 443, targetPort: 8443}]}
---
`;
  const ask = async (port: number) =>
    (await run(`explain - --from outside --to foo/edge:${port} --protocol tcp`, httpbinMesh + edge + service)).out;
  const closed = '000 the connection is closed: the gateway has no listener on this port';
  const hint = '; port 443 of gateway.foo.svc.cluster.local leads to its port 8443';
  expect((await ask(443)).split('\n')[0]).toBe(`${closed}${hint}; curl exits with 7`);
  expect((await ask(444)).split('\n')[0]).toBe(`${closed}; curl exits with 7`);
});
