import { expect, test } from 'vitest';
import { findingsOf } from '../testing/hints.ts';

const target = (name: string): string => `{group: gateway.networking.k8s.io, kind: Gateway, name: ${name}}`;
const deny = (name: string, binding: string, namespace = 'shop'): string =>
  `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec: {${binding}, action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}
`;
const gateway = (name: string, address = '', namespace = 'shop'): string =>
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: ${namespace}}
spec: {gatewayClassName: mesh, ${address}listeners: [{name: http, port: 80, protocol: HTTP}]}
`;
const served = 'addresses: [{type: Hostname, value: entry.shop}], ';
const entry = `apiVersion: v1
kind: Service
metadata: {name: entry, namespace: shop}
spec: {selector: {app: entry}, ports: [{name: http, port: 80}]}
`;
const byLabel = 'selector: {matchLabels: {gateway.networking.k8s.io/gateway-name: edge}}';

function found(...documents: readonly string[]): number {
  return findingsOf('rule-within-rule', 'cluster.local', ...documents).length;
}

test.each([
  [
    'the policy itself, for two Gateways of the same workloads',
    [
      entry,
      gateway('edge', served),
      gateway('two', served),
      deny('a', `targetRefs: [${target('edge')}, ${target('two')}]`),
    ],
  ],
  [
    'the policy itself, for one Gateway twice',
    [gateway('edge'), deny('a', `targetRefs: [${target('edge')}, ${target('edge')}]`)],
  ],
  [
    'a policy of the root namespace that is for one Gateway',
    [
      gateway('edge', '', 'mesh-system'),
      deny('a', `targetRefs: [${target('edge')}]`, 'mesh-system'),
      deny('b', byLabel, 'mesh-system'),
    ],
  ],
  ['a policy for a Gateway that is not known', [deny('a', `targetRefs: [${target('edge')}]`), deny('b', byLabel)]],
])('no rule is said to be within one of %s', (_, documents) => {
  expect(found(...documents)).toBe(0);
});

test('a rule is within that of another policy for the same Gateway, known or not', () => {
  const policies = ['a', 'b'].map((name) => deny(name, `targetRefs: [${target('edge')}]`));
  expect(found(gateway('edge'), ...policies)).toBe(1);
  expect(found(...policies)).toBe(1);
});

test('a policy that denies everything at a Gateway of the root namespace does not refuse what a selector allows elsewhere', () => {
  const denying = deny('deny-all', `targetRefs: [${target('edge')}]`, 'mesh-system').replace(
    /rules: .*}$/m,
    'rules: [{}]}',
  );
  const allowing = deny('b', byLabel, 'mesh-system').replace('DENY', 'ALLOW');
  expect(
    findingsOf('everything-denied', 'cluster.local', gateway('edge', '', 'mesh-system'), denying, allowing),
  ).toEqual([]);
});
