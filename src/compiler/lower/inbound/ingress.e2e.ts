import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InboundClient, type InboundListeners, startInboundListeners } from '../testing/inbound-listeners.ts';

const sidecar = (protocol = 'HTTP', port = '$undeclared'): string => `apiVersion: networking.istio.io/v1beta1
kind: Sidecar
metadata: {name: default, namespace: a}
spec:
  ingress:
  - port: {number: ${port}, protocol: ${protocol}, name: in}
    defaultEndpoint: 127.0.0.1:$app
---
`;
const peer = (spec: string): string => `apiVersion: security.istio.io/v1beta1
kind: PeerAuthentication
metadata: {name: httpbin, namespace: a}
spec: {selector: {matchLabels: {app: httpbin}}, ${spec}}
---
`;
const rule = (action: string, spec: string): string => `apiVersion: security.istio.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${action.toLowerCase()}, namespace: a}
spec: {action: ${action}, rules: [${spec}]}
---
`;

const plain: InboundClient = {};
const meshed: InboundClient = { identity: 'ns/a/sa/client' };
const other: InboundClient = { identity: 'ns/b/sa/other' };

let listeners: InboundListeners;

beforeAll(async () => {
  const deny = rule('DENY', '{to: [{operation: {paths: [/admin], ports: ["$undeclared"]}}]}');
  const allow = rule('ALLOW', '{from: [{source: {principals: [cluster.local/ns/a/sa/client]}}]}');
  listeners = await startInboundListeners({
    plain: sidecar(),
    strict: sidecar() + peer('mtls: {mode: STRICT}'),
    'strict on the port': sidecar() + peer('portLevelMtls: {$undeclared: {mode: STRICT}}'),
    'strict on a port of a service': sidecar() + peer('portLevelMtls: {$http: {mode: STRICT}}'),
    rules: sidecar() + deny + allow,
    'rules for bytes': sidecar('TCP') + deny + allow,
  });
});
afterAll(() => listeners?.close());

const ask = (name: string, client: InboundClient, path?: string) => listeners.ask(name, 'undeclared', client, path);

describe('an ingress listener with a default endpoint', () => {
  test('leads to the application on loopback', async () => {
    expect([await ask('plain', plain), await ask('plain', meshed)]).toEqual([200, 200]);
  });

  test.each(['strict', 'strict on the port'])('takes mutual TLS alone where the mode is %s', async (name) => {
    expect([await ask(name, plain), await ask(name, meshed)]).toEqual([0, 200]);
  });

  test('leaves ports of services that it does not name as they are', async () => {
    const name = 'strict on a port of a service';
    expect([await listeners.ask(name, 'http', plain), await listeners.ask(name, 'http', meshed)]).toEqual([0, 200]);
    expect(await ask(name, plain)).toBe(200);
  });

  test('denies what access rules deny', async () => {
    const answers = [ask('rules', meshed), ask('rules', meshed, '/admin'), ask('rules', other), ask('rules', plain)];
    expect(await Promise.all(answers)).toEqual([200, 403, 403, 403]);
  });

  test('for bytes denies whatever a rule about requests might', async () => {
    expect([await ask('rules for bytes', meshed), await ask('rules for bytes', other)]).toEqual([0, 0]);
  });
});
