import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OutboundGates, startOutboundGates } from '../testing/outbound-gate.ts';

const sidecar = (name: string, spec: string, namespace = 'a'): string => `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: ${name}, namespace: ${namespace}}
spec: {${spec}}
---
`;
const closed = 'outboundTrafficPolicy: {mode: REGISTRY_ONLY}';
const reviews = 'egress: [{hosts: [./reviews.example]}]';
const ratings = 'egress: [{hosts: ["*/ratings.example"]}]';
const nothing = 'egress: [{hosts: ["~/*"]}]';
const routed = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: a}
spec:
  hosts: [reviews.example]
  http: [{route: [{destination: {host: ratings.example}}]}]
---
`;

const inRoot = (spec: string): string => sidecar('default', spec, 'mesh-system');

let gates: OutboundGates;

beforeAll(async () => {
  gates = await startOutboundGates({
    'no Sidecar': '',
    'a REGISTRY_ONLY policy': sidecar('default', closed),
    'the namespace imports reviews': sidecar('default', `${reviews}, ${closed}`),
    'the namespace imports reviews, the root ratings':
      sidecar('default', `${reviews}, ${closed}`) + inRoot(`${ratings}, ${closed}`),
    'the root imports ratings': inRoot(`${ratings}, ${closed}`),
    'the workload imports ratings, the namespace reviews':
      sidecar('default', `${reviews}, ${closed}`) +
      sidecar('web', `workloadSelector: {labels: {app: web}}, ${ratings}, ${closed}`),
    'another workload imports nothing': sidecar('other', `workloadSelector: {labels: {app: other}}, ${nothing}`),
    'the namespace imports reviews, routed to ratings': sidecar('default', `${reviews}, ${closed}`) + routed,
  });
});
afterAll(() => gates?.close());

/** Who answers to a host, or with which status the proxy does. */
async function answer(name: string, host: string): Promise<string> {
  const { seen, status } = await gates.send(name, { host });
  return seen?.backend.replace(/v\d/, 'reviews') ?? String(status);
}

describe('a sidecar asked for a host', () => {
  test.each([
    ['no Sidecar', 'reviews', 'ratings'],
    ['a REGISTRY_ONLY policy', 'reviews', 'ratings'],
    ['the namespace imports reviews', 'reviews', '502'],
    ['the namespace imports reviews, the root ratings', 'reviews', '502'],
    ['the root imports ratings', '502', 'ratings'],
    ['the workload imports ratings, the namespace reviews', '502', 'ratings'],
    ['another workload imports nothing', 'reviews', 'ratings'],
    ['the namespace imports reviews, routed to ratings', 'ratings', '502'],
  ])('where %s: reviews gets %s, ratings %s', async (name, ofReviews, ofRatings) => {
    expect([await answer(name, 'reviews.example'), await answer(name, 'ratings.example')]).toEqual([
      ofReviews,
      ofRatings,
    ]);
  });

  test('that nobody has refuses it where the Sidecar says REGISTRY_ONLY, and else passes it on', async () => {
    expect(await answer('a REGISTRY_ONLY policy', 'unknown.example')).toBe('502');
    // The cluster that passes connections on is not there: 503 tells that its route was taken.
    expect(await answer('no Sidecar', 'unknown.example')).toBe('503');
  });
});
