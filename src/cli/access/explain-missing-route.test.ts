import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const gateway = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: web, namespace: foo}
spec:
  selector: {app: edge}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: edge, namespace: foo}
spec: {selector: {matchLabels: {app: edge}}, action: DENY, rules: [{to: [{operation: {methods: [DELETE]}}]}]}
---
`;
const routes = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: shop, namespace: foo}
spec:
  hosts: [shop.example.com]
  gateways: [web]
  http: [{match: [{uri: {prefix: /cart}}], route: [{destination: {host: httpbin, port: {number: 8000}}}]}]
---
`;
const asked = 'explain - --from outside --to foo/edge:8080 --path /list --host';

describe('a request that no route takes', () => {
  test.each([
    ['shop.example.com', 'VirtualService foo/shop spec.hosts', 'the host has no route for this request'],
    ['shop.example.org', 'Gateway foo/web spec.servers[0]', 'there is no host shop.example.org'],
  ])('for %s at a gateway is decided by %s, not by the access rules before', async (host, object, why) => {
    const { out } = await run(`${asked} ${host}`, httpbinMesh + gateway + routes);
    expect(out.split('\n')[0]).toMatch(/^404 route_not_found \(/);
    expect(out.split('\n')[0]).toContain(`(${object}, -:`);
    expect(out.split('\n')[0]).not.toContain('AuthorizationPolicy');
    expect(out).toContain(`    route: none matches: ${why}, by ${object}, -:`);
  });

  test('is decided by the Gateway where it has no VirtualService', async () => {
    const { out } = await run(`${asked} shop.example.com`, httpbinMesh + gateway);
    expect(out.split('\n')[0]).toMatch(/^404 route_not_found \(Gateway foo\/web spec\.servers\[0\], -:\d+\)$/);
  });

  test('names no object where x-forwarded-proto is empty, and says so', async () => {
    const words = 'explain - --from foo/sleep --to httpbin:8000 --header'.split(' ');
    const { out } = await run([...words, 'x-forwarded-proto:'], httpbinMesh);
    expect(out.split('\n')[0]).toBe('404 route_not_found');
    expect(out).toContain('    route: none matches: x-forwarded-proto is empty, so there is no scheme\n');
  });
});
