import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { replayBench } from './testing/replay-bench.ts';
import { delivered, denied, gets, policy } from './testing/replayed-shop.ts';

const bytes = { method: null, path: null, protocol: null, response_code_details: null };

describe('meshpol replay', () => {
  const { verdictOf, replay } = replayBench();

  test.each([
    ['a redirect to another path', 'redirect: {uri: /a}', 'redirect: {uri: /b}', 301],
    [
      'another body',
      'directResponse: {status: 200, body: {string: a}}',
      'directResponse: {status: 200, body: {string: b}}',
      200,
    ],
  ])('calls %s another answer', async (_, before, after, status) => {
    const routes = (answer: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: cart, namespace: shop}
spec: {hosts: [cart], http: [{${answer}}]}
`;
    const line = {
      ...{ ...delivered, response_code: status, response_code_details: 'direct_response', upstream_host: null },
      ...{ downstream_local_address: '10.96.0.1:80', downstream_remote_address: '10.0.0.2:4000' },
      ...{ requested_server_name: null, downstream_peer_uri_san: null, upstream_cluster: null },
    };
    expect(await verdictOf(routes(before), routes(before), line)).toBe('same');
    expect(await verdictOf(routes(before), routes(after), line)).toBe('changed');
  });

  test.each([
    ['a request', 'http', { response_code: 503, response_code_details: 'no_healthy_upstream', response_flags: 'UH' }],
    ['a connection', 'tcp', { ...bytes, response_code: 0, response_flags: 'UH' }],
  ])(
    'calls %s for which no server was found a miss where the inputs say that it is delivered',
    async (_, name, told) => {
      const service = (app: string): string => `apiVersion: v1
kind: Service
metadata: {name: other, namespace: shop}
spec: {selector: {app: ${app}}, clusterIP: 10.96.0.2, ports: [{name: ${name}, port: 90, targetPort: 8080}]}
`;
      const line = {
        ...{ ...delivered, ...told, upstream_host: null, downstream_peer_uri_san: null, requested_server_name: null },
        ...{
          downstream_local_address: '10.96.0.2:90',
          downstream_remote_address: '10.0.0.2:4000',
          authority: 'other:90',
        },
        upstream_cluster: 'outbound|90||other.shop.svc.cluster.local',
      };
      expect(await verdictOf(service('cart'), service('cart'), line)).toBe('miss');
      expect(await verdictOf(service('nobody'), service('nobody'), line)).toBe('same');
      const sent = {
        ...line,
        upstream_host: '10.0.0.1:8080',
        response_flags: null,
        response_code_details: 'via_upstream',
      };
      expect(await verdictOf(service('cart'), service('cart'), sent)).toBe('same');
    },
  );

  const unanswered = 'upstream_reset_before_response_started';
  test.each<[what: string, verdict: string, told: object]>([
    ['the flag UF', 'miss', { response_flags: 'UF', response_code_details: unanswered }],
    ['the flags URX,UF', 'miss', { response_flags: 'URX,UF', response_code_details: unanswered }],
    ['the flag UO', 'miss', { response_flags: 'UO', response_code_details: unanswered }],
    [
      'details of UF',
      'miss',
      { response_code_details: `${unanswered}{remote_connection_failure|delayed_connect_error:_111}` },
    ],
    [
      'older details of UF',
      'miss',
      { response_code_details: `${unanswered}{connection failure,delayed connect error: 111}` },
    ],
    ['details of UO', 'miss', { response_code_details: `${unanswered}{overflow}` }],
    ['details of UC', 'same', { response_flags: 'UC', response_code_details: `${unanswered}{connection_termination}` }],
    ['the flag URX and an answer', 'same', { response_flags: 'URX' }],
    ['the flag UF of a connection', 'miss', { ...bytes, response_code: 0, response_flags: 'UF' }],
    ['the flag URX of a connection', 'miss', { ...bytes, response_code: 0, response_flags: 'URX' }],
    ['the flag NR of a connection', 'miss', { ...bytes, response_code: 0, response_flags: 'NR', upstream_host: null }],
    ['no flag of a connection', 'same', { ...bytes, response_code: 0 }],
  ])('with %s calls a line a %s where the inputs say that a server has it', async (_, verdict, told) => {
    const service = `apiVersion: v1
kind: Service
metadata: {name: other, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.2, ports: [{name: ${'protocol' in told ? 'tcp' : 'http'}, port: 90, targetPort: 8080}]}
`;
    const line = {
      ...{ ...delivered, response_code: 503, downstream_peer_uri_san: null, requested_server_name: null, ...told },
      ...{
        downstream_local_address: '10.96.0.2:90',
        downstream_remote_address: '10.0.0.2:4000',
        authority: 'other:90',
      },
      upstream_cluster: 'outbound|90||other.shop.svc.cluster.local',
    };
    expect(await verdictOf(service, service, line)).toBe(verdict);
  });

  test('reproduces a 503 of a connection that fails, and its flag, where the inputs say that it fails', async () => {
    const rule = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: bare, namespace: shop}
spec: {host: bare, trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: shop, labels: {app: bare}, annotations: {sidecar.mesh.io/inject: "false"}}
spec: {containers: [{name: app}]}
status: {podIP: 10.0.0.7}
---
`;
    const service = (name: string): string => `apiVersion: v1
kind: Service
metadata: {name: bare, namespace: shop}
spec: {selector: {app: bare}, clusterIP: 10.96.0.2, ports: [{name: ${name}, port: 90, targetPort: 8080}]}
`;
    const line = {
      ...{ ...delivered, response_code: 503, downstream_peer_uri_san: null, requested_server_name: null },
      ...{ downstream_local_address: '10.96.0.2:90', downstream_remote_address: '10.0.0.2:4000', authority: 'bare:90' },
      ...{ upstream_cluster: 'outbound|90||bare.shop.svc.cluster.local', upstream_host: '10.0.0.7:8080' },
      ...{ response_flags: 'UF', response_code_details: `${unanswered}{remote_connection_failure|TLS_error}` },
    };
    const ofRequests = rule + service('http');
    expect(await verdictOf(ofRequests, ofRequests, line)).toBe('same');
    const ofBytes = rule + service('tcp');
    expect(await verdictOf(ofBytes, ofBytes, { ...line, ...bytes, response_code: 0 })).toBe('same');
  });

  test('knows that a token in the query is taken out before the path is logged', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
    const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: a, jwks: '${keys}', fromParams: [token]}]}
---
`;
    const before = tokens + policy('  - from: [{source: {requestPrincipals: ["a/*"]}}]');
    expect(await verdictOf(before, `${before}---\n${policy(gets, 'DENY', 'no')}`, delivered)).toBe('changed');
    expect(await verdictOf(before, tokens + policy(gets), delivered)).toBe('same');
    const claim = tokens + policy("  - when: [{key: 'request.auth.claims[group]', values: ['a']}]");
    expect(await verdictOf(tokens + policy(gets), claim, delivered)).toBe('may change');
  });

  test('says what all combinations of what a line does not tell have in common, however many there are', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
    const issuers = ['a', 'b', 'c', 'd', 'e', 'f'];
    const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec:
  jwtRules:
${issuers.map((issuer) => `  - {issuer: ${issuer}, jwks: '${keys}', fromHeaders: [{name: x-${issuer}}, {name: x-all}]}\n`).join('')}---
`;
    const rules = (group: string): string =>
      issuers
        .map(
          (issuer) =>
            `  - {from: [{source: {requestPrincipals: [${issuer}/*]}}], when: [` +
            `{key: 'request.auth.claims[group]', values: [${group}-${issuer}]}, ` +
            `{key: 'request.headers[x-team]', values: [${issuer}]}]}`,
        )
        .join('\n');
    const before = tokens + policy(rules('old'));
    const denied = (path: string): string =>
      `${before}---\n${policy(`  - to: [{operation: {paths: [${path}]}}]`, 'DENY', 'no')}`;
    expect(await verdictOf(before, denied('/other'), delivered)).toBe('same');
    expect(await verdictOf(before, denied('/cart'), delivered)).toBe('changed');
    expect(await verdictOf(before, tokens + policy(rules('new')), delivered)).toBe('may change');
  });

  test('calls an answer that no request can have had a miss, also where rules have many combinations', async () => {
    const asks = (header: string, field: string): string => `{key: 'request.headers[${header}]', ${field}: [q]}`;
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (header) => `  - when: [${asks(`x-${header}`, 'values')}, ${asks('x-z', 'values')}]`,
    );
    // Of these two one holds: either the request is let in, or another policy refuses it.
    const letIn = policy([...many, `  - when: [${asks('x-q', 'notValues')}]`].join('\n'));
    const old = `${letIn}---\n${policy(`  - when: [${asks('x-q', 'values')}]`, 'DENY', 'other')}`;
    expect(await verdictOf(old, old, denied)).toBe('miss');
    expect(await verdictOf(old, '', denied)).toBe('miss');
  });

  test('goes on where what a line has for an address is none', async () => {
    const lines = [
      { ...delivered, downstream_remote_address: 'nowhere:80' },
      { ...delivered, downstream_local_address: '10.0.0.256:80' },
      { ...delivered, downstream_local_address: '10.0.0.1.:80' },
      ...['203.0.113.7:443', 'unknown', 'a:b', '203.0.113.07', '203.0.113.7.'].map((x_forwarded_for) => ({
        ...delivered,
        x_forwarded_for,
      })),
    ];
    const { code, error, report } = await replay(policy(gets), policy(gets), lines);
    expect([code, error, report.counts?.same]).toEqual([0, '', 5]);
    expect(report.notCompared.map(({ why }) => why)).toEqual([
      'the line does not tell where the connection went (%DOWNSTREAM_LOCAL_ADDRESS%)',
      'the line does not tell where the client is (%DOWNSTREAM_REMOTE_ADDRESS%)',
    ]);
  });
});
