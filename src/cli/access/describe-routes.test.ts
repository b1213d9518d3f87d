import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const gateway = (name: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}, gateway.networking.k8s.io/gateway-name: ${name}}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.${name.length}}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: foo}
spec: {selector: {app: ${name}}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
`;
const route = (name: string, gateways: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: foo}
spec: {hosts: [${name}.example.com], ${gateways}http: [{route: [{destination: {host: httpbin, port: {number: 8000}}}]}]}
---
`;
const ofKubernetes = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: third, namespace: foo}
spec: {gatewayClassName: mesh, listeners: [{name: http, port: 8080, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: d, namespace: foo}
spec: {parentRefs: [{name: third}], hostnames: [d.example.com], rules: [{backendRefs: [{name: httpbin, port: 8000}]}]}
---
`;
const texts = [
  ...[httpbinMesh, gateway('front'), gateway('back'), gateway('third'), ofKubernetes],
  ...[route('a', ''), route('b', 'gateways: [front], '), route('c', 'gateways: [mesh, foo/back], ')],
].join('');

describe('meshpol describe', () => {
  test.each([
    ['sleep', ['VirtualService foo/a', 'VirtualService foo/c']],
    ['front', ['VirtualService foo/b']],
    ['back', ['VirtualService foo/c']],
    ['third', ['HTTPRoute foo/d']],
  ])('lists as routes out of %s those that are for its proxy', async (name, expected) => {
    const { out } = await run(`describe foo/${name} -`, texts);
    const [, routes = ''] = out.split('\nroutes out:\n');
    expect(routes.match(/^ {2}\w+ foo\/\S+/gm)?.map((line) => line.trim())).toEqual(expected);
  });
});
