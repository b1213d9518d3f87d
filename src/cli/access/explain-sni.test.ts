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
    expect((await run('explain - --from foo/sleep --to httpbin.foo:8000', mesh)).out).not.toContain('--sni');
  });

  test('is refused for a workload, whose proxy chooses the name', async () => {
    const { code, error } = await run('explain - --from foo/sleep --to foo/edge:443 --sni a.example', mesh);
    expect([code, error]).toEqual([2, expect.stringContaining('the proxy of foo/sleep chooses its own')]);
  });
});
