import { describe, expect, test } from 'vitest';
import { hintsOf } from '../testing/hints.ts';

describe('the hint of a finding about TLS', () => {
  const modes = (selector: string, server: string, client: string): readonly string[] => [
    `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: shop}
spec: {${selector}mtls: {mode: ${server}}}
`,
    `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`,
    `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, trafficPolicy: {tls: {mode: ${client}}}}
`,
  ];
  test.each([
    ['selector: {matchLabels: {app: web}}, ', 'DISABLE', 'MESH_MUTUAL', /^write mode DISABLE here/],
    ['', 'DISABLE', 'MESH_MUTUAL', /^remove "tls", .* PERMISSIVE/],
    ['', 'STRICT', 'SIMPLE', /^remove "tls", .* or write mode MESH_MUTUAL$/],
    ['', 'STRICT', 'DISABLE', /^remove "tls", .* PeerAuthentication$/],
  ])(
    'of clients that %sservers in mode %s refuse with mode %s names what repairs the calls',
    (selector, server, client, hint) => {
      expect(hintsOf('client-tls-refused', 'cluster.local', ...modes(selector, server, client))).toEqual([
        expect.stringMatching(hint),
      ]);
    },
  );

  test.each(['STRICT', 'PERMISSIVE'])(
    'of a selector in the root namespace with mode %s tells that without it the policy is for the whole mesh',
    (mode) => {
      const peer = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: mesh-system}
spec: {selector: {matchLabels: {app: a}}, mtls: {mode: ${mode}}}
`;
      expect(hintsOf('selector-in-root-namespace', 'cluster.local', peer)).toEqual([
        expect.stringMatching(
          /^move it to the namespace of the workloads; .* whole mesh, which a PeerAuthentication without a selector sets/,
        ),
      ]);
    },
  );

  const exception = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: root, namespace: mesh-system}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: a, namespace: shop}
spec: {selector: {matchLabels: {app: a}}, mtls: {mode: STRICT}, portLevelMtls: {6380: {mode: DISABLE}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec: {selector: {app: a}, ports: [{name: tcp, port: 6380, targetPort: 6379}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop, labels: {app: a}}
spec: {containers: [{name: a}]}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: shop}
spec: {host: a, trafficPolicy: {tls: {mode: DISABLE}}}
`;
  test('of plain text to a STRICT port names the exception whose port is that of the service', () => {
    const hints = hintsOf('plain-text-to-strict-port', 'cluster.local', exception);
    expect(hints).toEqual([expect.stringMatching(/exception for port 6380 .* write 6379 there/)]);
  });

  test('leaves an exception that switches nothing off to the finding about its port', () => {
    expect(hintsOf('port-level-of-service-port', 'cluster.local', exception)).toHaveLength(1);
    expect(hintsOf('disabled-below-strict', 'cluster.local', exception)).toEqual([]);
    const corrected = exception.replace('{6380:', '{6379:');
    expect(hintsOf('disabled-below-strict', 'cluster.local', corrected)).toHaveLength(1);
  });
});
