import { expect, test } from 'vitest';
import { Signatures } from '../access/signatures.ts';
import { predict } from './gauge-prediction.ts';
import { GaugeTally } from './gauge-tally.ts';
import { compileGauged } from './gauged-mesh.ts';

const policies = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec: {selector: {app: edge}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ['*']}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: foo}
spec:
  hosts: ['*']
  gateways: [edge]
  http:
  - match: [{headers: {x-role: {exact: admin}}}]
    directResponse: {status: 418}
  - route:
    - {destination: {host: web, port: {number: 80}}, weight: 50}
    - {destination: {host: api, port: {number: 80}}, weight: 50}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: methods, namespace: foo}
spec:
  selector: {matchLabels: {app: edge}}
  action: DENY
  rules:
  - to: [{operation: {methods: [PUT]}}, {operation: {methods: [GET], paths: [/x]}}]
`;

test('the tally counts a request once for each condition that it meets, however many ways it may take', async () => {
  const mesh = await compileGauged('10.1.0.1', policies, {}, 'gateway');
  const connection = {
    source: '10.9.0.5',
    destination: { address: mesh.address, port: 80 },
    protocol: 'http/1.1',
  } as const;
  const request = { method: 'GET', path: '/', authority: 'shop.test', headers: [] };
  const tally = new GaugeTally();
  const judge = { now: 0, signatures: new Signatures() };
  const prediction = predict(mesh, { connection, request }, request, judge, tally.observer);
  expect(prediction).toHaveLength(2);
  const answer = { status: 200, opener: 0, details: 'via_upstream', chain: '', route: '', cluster: '' };
  tally.count({ connection, request }, prediction, answer, mesh.proxy);
  tally.count({ connection, request }, prediction, answer, mesh.proxy);
  expect(tally.cases).toBe(2);
  expect(tally.conditions).toMatchObject({ ':method exact in any case': { true: 1, false: 1 } });
  expect(tally.features).toMatchObject({ weights: 2, 'route that sends on': 2 });
  expect(tally.conditions).toMatchObject({ 'route: header exact': { true: 0, false: 1 } });
});
