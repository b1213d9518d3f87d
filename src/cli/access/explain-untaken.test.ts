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
