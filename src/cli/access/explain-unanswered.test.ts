import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const rule = (tls: string): string => `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: httpbin, namespace: foo}
spec: {host: httpbin, trafficPolicy: {tls: {${tls}}}}
---
`;
const mtls = (mode: string): string => `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: httpbin, namespace: foo}
spec: {mtls: {mode: ${mode}}}
---
`;
/** The same, where the server has no proxy. */
const bare = httpbinMesh.replace(
  'labels: {app: httpbin}}\nspec',
  'labels: {app: httpbin}, annotations: {sidecar.mesh.io/inject: "false"}}\nspec',
);
const asked = 'explain - --from foo/sleep --to httpbin:8000';
const answered = '503 upstream_reset_before_response_started: ';

describe('a request whose proxy gets no answer', () => {
  test('is answered in the words of Envoy, with the reason and the object that says how the proxy connects', async () => {
    const { out } = await run(asked, bare + rule('mode: ISTIO_MUTUAL'));
    const by = /\(DestinationRule foo\/httpbin spec\.trafficPolicy\.tls\.mode, -:\d+\)/.source;
    expect(out).toMatch(new RegExp(`^${answered}nobody ends the mutual TLS of the mesh ${by}\n`));
    expect(out).toMatch(/\n {4}TLS: nobody ends the mutual TLS of the mesh, by DestinationRule foo\/httpbin /);
  });

  test('because its server has another identity names the rule with the names', async () => {
    const other = rule('mode: ISTIO_MUTUAL, subjectAltNames: ["spiffe://cluster.local/ns/foo/sa/other"]');
    const { out } = await run(asked, httpbinMesh + other);
    expect(out).toMatch(
      new RegExp(`^${answered}the identity of the server is not the expected one \\(DestinationRule foo/httpbin spec`),
    );
    expect(out).not.toContain('foo/httpbin, server');
  });

  test('because the server closes the connection names what closes it', async () => {
    const { out } = await run(asked, httpbinMesh + rule('mode: DISABLE') + mtls('STRICT'));
    expect(out).toMatch(new RegExp(`^${answered}no filter chain takes it \\(PeerAuthentication foo/httpbin spec.mtls`));
    const { ways } = JSON.parse(
      (await run(`${asked} --format json`, httpbinMesh + rule('mode: DISABLE') + mtls('STRICT'))).out,
    );
    expect(ways[0].outcome).toEqual({
      ...{ kind: 'answered', status: 503, details: 'upstream_reset_before_response_started' },
      why: 'no filter chain takes it',
    });
  });
});
