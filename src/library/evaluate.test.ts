import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import type { Question } from './question.ts';

const text = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {containers: [{name: app}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app}]}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, rules: [{from: [{source: {principals: [cluster.local/ns/shop/sa/web]}}], to: [{operation: {methods: [GET]}}]}]}
`;
const input = { files: [{ path: 'mesh.yaml', text }] };
const web: Question = { from: { namespace: 'shop', name: 'web' }, to: { host: 'cart' } };

async function outcomes(questions: readonly Question[]) {
  const { answers, diagnostics } = await evaluate(input, questions);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return answers?.map(({ ways }) => ways.map(({ outcome }) => outcome));
}

describe('evaluate of the library', () => {
  test('answers each question in its place', async () => {
    const to = { namespace: 'shop', name: 'cart', port: 80 };
    const found = await outcomes([
      web,
      { ...web, method: 'POST' },
      { from: 'outside', to },
      { from: { address: '192.0.2.7', identity: 'spiffe://cluster.local/ns/shop/sa/web' }, to },
      { ...web, protocol: 'http2' },
    ]);
    expect(found).toMatchObject([
      [{ kind: 'reaches' }],
      [{ kind: 'answered', status: 403, details: 'rbac_access_denied_matched_policy[none]' }],
      [{ kind: 'closed', exitCodes: [56] }],
      [{ kind: 'reaches' }],
      [{ kind: 'reaches' }],
    ]);
  });

  test('names the field, file and line that decided', async () => {
    const { answers } = await evaluate(input, [{ ...web, method: 'POST' }]);
    const step = answers?.[0]?.ways[0]?.legs.at(-1)?.steps.at(-1);
    const line = text.split('\n').findIndex((one) => one.includes('principals')) + 1;
    expect(step?.decidedBy).toMatchObject([{ kind: 'AuthorizationPolicy', name: 'cart', file: 'mesh.yaml', line }]);
    expect(step?.nearMisses).toMatchObject([{ wants: 'method is "GET"', has: 'method "POST"' }]);
  });

  test('gives diagnostics and no answers for a text with an error', async () => {
    const files = [{ path: 'mesh.yaml', text: text.replace('STRICT', 'STRIKT') }];
    const { answers, diagnostics } = await evaluate({ files }, [web]);
    expect([answers, diagnostics.some(({ severity }) => severity === 'error')]).toEqual([undefined, true]);
  });

  test.each([
    [{ ...web, to: { host: 'nothing' } }, 'the input has no service "nothing"'],
    [{ ...web, from: { namespace: 'shop', name: 'nobody' } }, 'the input has no workload shop/nobody'],
  ])('throws an Error for what the mesh does not have: %j', async (question, message) => {
    await expect(evaluate(input, [question])).rejects.toThrow(message);
  });

  test.each([
    ['a text', 'the second argument is a string, expected an array'],
    [[{ to: { host: 'a' } }], 'the second argument[0].from is undefined, expected an object'],
    [[{ ...web, from: 'shop/web' }], 'the second argument[0].from is a string, expected an object'],
    [[{ ...web, to: { host: 'cart', port: '80' } }], 'the second argument[0].to.port is a string, expected a number'],
    [[{ ...web, methd: 'GET' }], 'methd has no meaning'],
    [[{ ...web, protocol: 'udp' }], 'is "udp", expected one of http, http2, tcp'],
  ])('throws a TypeError for questions that are not of their type: %j', async (questions, message) => {
    const asked = evaluate(input, questions as unknown as readonly Question[]);
    await expect(asked).rejects.toThrow(TypeError);
    await expect(asked).rejects.toThrow(message);
  });
});
