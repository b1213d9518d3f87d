import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const mesh = `${httpbinMesh.replace('name: http,', 'name: tls,')}apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec:
  gatewayClassName: mesh
  listeners: [{name: tls, port: 443, protocol: TLS, tls: {mode: Passthrough}, hostname: "*.example.com"}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: {name: all, namespace: foo}
spec:
  parentRefs: [{name: edge}]
  hostnames: [shop.example.com]
  rules: [{backendRefs: [{name: httpbin, port: 8000}]}]
---
`;
const inside = `${mesh}apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: api, namespace: foo}
spec: {hosts: [api.example.com], location: MESH_EXTERNAL, resolution: NONE, ports: [{number: 443, name: tls, protocol: TLS}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: httpbin}, clusterIP: 10.96.0.7, ports: [{name: http, port: 80, targetPort: 81}]}
---
`;
const fromInside = 'explain - --from foo/sleep --to';
const asked = 'explain - --from outside --to foo/edge:443 --protocol tcp';
const firstLine = ({ out }: { readonly out: string }): string | undefined => out.split('\n')[0];

describe('meshpol explain --sni', () => {
  test('follows the TLS of a client outside through a TLSRoute by the server that it asks for', async () => {
    const routed = await run(`${asked} --sni shop.example.com`, mesh);
    expect(routed.out).toMatch(/^reaches foo\/httpbin\n {2}foo\/edge, gateway/);
    expect(routed.out).toContain('TLSRoute foo/all');
    expect(routed.out).toContain('  - the bytes in TLS are not HTTP\n');
    expect(firstLine(await run(`${asked} --sni other.example.com`, mesh))).toMatch(/^000 the connection is closed/);
  });

  test('says without it what is assumed of the connection of a client outside', async () => {
    const plain = await run(asked, mesh);
    expect(plain.out).toMatch(/^000 the connection is closed: no filter chain takes it/);
    expect(plain.out).toContain(
      '  - the client uses no TLS of its own; with --sni NAME it uses TLS, and asks for that server\n',
    );
    const certified = await run('explain - --from spiffe://cluster.local/ns/a/sa/b --to foo/edge:443', mesh);
    expect(certified.out).toContain(
      '  - the client names no server in its TLS; with --sni NAME it asks for that one\n',
    );
    expect((await run('explain - --from foo/sleep --to web', inside)).out).not.toContain('--sni');
  });

  test.each([
    ['api.example.com', '0.0.0.0_443-api.example.com'],
    ['other.example.com', 'PassthroughFilterChain'],
  ])("follows a workload's own TLS to a host outside, asking for %s, by the chain %s", async (name, chain) => {
    const { code, out } = await run(`${fromInside} api.example.com --sni ${name}`, inside);
    expect([code, firstLine({ out })]).toEqual([0, 'reaches 198.18.0.2:443']);
    expect(out).toContain(`    filter chain: ${chain}, by ServiceEntry foo/api`);
    expect(out).not.toContain('plain text');
  });

  test("sees bytes in a workload's own TLS, which its proxy wraps in the mutual TLS of the mesh", async () => {
    const { out } = await run(`${fromInside} httpbin:8000 --sni httpbin`, inside);
    expect(out).toMatch(/^reaches foo\/httpbin\n/);
    expect(out).toContain('    filter chain: inbound-80-mtls-tcp');
  });

  test('is 000 for a workload where an HTTP port has plain text', async () => {
    const { out } = await run(`${fromInside} web --sni web`, inside);
    expect(firstLine({ out })).toMatch(/^000 the connection is closed: .*exits with 35$/);
  });

  test.each([
    ['', true],
    ['--protocol tcp', false],
    ['--sni api.example.com', false],
  ])('says that a workload sends plain text to a port of TLS, with %j: %s', async (options, isTold) => {
    const { out } = await run(`${fromInside} api.example.com ${options}`, inside);
    const told =
      '  - the client sends plain text to a port of TLS; with --sni NAME it uses TLS of its own, and asks for that server\n';
    expect(out.includes(told)).toBe(isTold);
  });
});
