import { describe, expect, test } from 'vitest';
import type { ServingObjects } from '../../live/others-objects.ts';
import type { JsonObject } from '../../source/document.ts';
import { readReview } from './admission-review.ts';
import { adviseOnObject } from './advise-on-object.ts';
import { answerReview } from './answer-review.ts';
import { logAdmission } from './log-admission.ts';
import { type ReviewParts, reviewOf } from './testing/reviews.ts';

const group = 'gateway.networking.k8s.io';

const objectOf = (kind: string, spec: JsonObject, metadata: JsonObject = { name: 'edge', namespace: 'shop' }) => ({
  ...{ apiVersion: `${group}/v1`, kind, metadata, spec },
});
/** With a protocol that is not supported. */
const gateway = (gatewayClassName: string) =>
  objectOf('Gateway', { gatewayClassName, listeners: [{ name: 'a', port: 80, protocol: 'TCP' }] });
/** With a filter that is not supported. */
const route = (parents: readonly JsonObject[]) =>
  objectOf('HTTPRoute', { parentRefs: parents, rules: [{ filters: [{ type: 'CORS', cors: {} }] }] });
const fault = /^not valid in the mesh: spec\.listeners\[0\]\.protocol: .*\[[a-z-]+\]$/;

const classes = [
  { name: 'own', spec: { controllerName: 'mesh.io/gateway-controller' } },
  { name: 'other', spec: { controllerName: 'example.com/controller' } },
];
const gateways = [
  { namespace: 'shop', name: 'own', spec: { gatewayClassName: 'own' } },
  { namespace: 'shop', name: 'other', spec: { gatewayClassName: 'other' } },
];

async function advise(parts: ReviewParts, serving?: ServingObjects | 'unknown', skipsGatewayApi = false) {
  const review = readReview(JSON.stringify(reviewOf(parts)));
  if (typeof review === 'string') throw new Error(review);
  return adviseOnObject(review.request, { skipsGatewayApi }, { serving });
}
const warningsOf = async (...given: Parameters<typeof advise>) => {
  const advice = await advise(...given);
  if ('missing' in advice) throw new Error('objects are missing');
  expect(advice.isAllowed).toBe(true);
  return advice.warnings ?? [];
};

describe('adviseOnObject', () => {
  test('warns with field, code and hint of what is wrong in an object of an own class, and admits it', async () => {
    const found = await warningsOf({ object: gateway('own') }, { classes, gateways: [] });
    expect(found).toEqual([expect.stringMatching(fault)]);
    expect(await warningsOf({ object: gateway('mesh') }, { classes: [], gateways: [] })).toEqual(found);
  });

  test('says what to do, if anything can be done about an object', async () => {
    const listeners = [{ name: 'a', port: 80, protocol: 'HTTP', hostnam: 'a.example.com' }];
    const object = objectOf('Gateway', { gatewayClassName: 'own', listeners });
    expect(await warningsOf({ object }, { classes, gateways: [] })).toEqual([
      expect.stringMatching(
        /^not valid in the mesh: spec\.listeners\[0\]\.hostnam: .*\[unknown-field\]; did you mean "hostname"\?$/,
      ),
    ]);
  });

  test('says nothing of what another program serves, or may serve', async () => {
    expect(await warningsOf({ object: gateway('other') }, { classes, gateways: [] })).toEqual([]);
    expect(await warningsOf({ object: gateway('mesh') }, 'unknown')).toEqual([]);
    const renamed = [{ name: 'mesh', spec: { controllerName: 'example.com/controller' } }];
    expect(await warningsOf({ object: gateway('mesh') }, { classes: renamed, gateways: [] })).toEqual([]);
  });

  test('judges a route by the Gateways that it names', async () => {
    const of = (names: readonly string[], known: ServingObjects | 'unknown' = { classes, gateways }) =>
      warningsOf({ object: route(names.map((name) => ({ name }))) }, known);
    const found = ['type', 'cors'].map((field) =>
      expect.stringMatching(
        `^not valid in the mesh: spec\\.rules\\[0\\]\\.filters\\[0\\]\\.${field}: .*\\[unsupported-field\\]$`,
      ),
    );
    expect([await of(['own']), await of(['other', 'own'])]).toEqual([found, found]);
    expect([await of(['other']), await of(['nobody']), await of(['own'], 'unknown')]).toEqual([[], [], []]);
    const elsewhere = route([{ name: 'own', namespace: 'bank' }]);
    expect(await warningsOf({ object: elsewhere }, { classes, gateways })).toEqual([]);
  });

  test('asks who serves an object with findings, and nobody about any other', async () => {
    expect(await advise({ object: gateway('own') })).toMatchObject({ missing: { classes: ['own'], gateways: [] } });
    const named = route([{ name: 'own' }, { name: 'b', namespace: 'bank' }, { kind: 'Service', group: '', name: 'c' }]);
    const missing = [
      { namespace: 'shop', name: 'own' },
      { namespace: 'bank', name: 'b' },
    ];
    expect(await advise({ object: named })).toMatchObject({ missing: { classes: [], gateways: missing } });
    const sound = objectOf('Gateway', {
      gatewayClassName: 'own',
      listeners: [{ name: 'a', port: 80, protocol: 'HTTP' }],
    });
    expect(await advise({ object: sound })).toEqual({ isAllowed: true });
  });

  test('says nothing where meshd does not read the Gateway API, and nothing of what is being deleted', async () => {
    const known = { classes, gateways };
    expect(await warningsOf({ object: gateway('own') }, known, true)).toEqual([]);
    const metadata = { name: 'edge', namespace: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(await warningsOf({ object: { ...gateway('own'), metadata }, operation: 'UPDATE' }, known)).toEqual([]);
  });

  test('says nothing of a change of metadata or status alone, and asks nobody then', async () => {
    const oldObject = gateway('own');
    const metadata = { name: 'edge', namespace: 'shop', labels: { a: 'b' } };
    const changed = { ...oldObject, metadata, status: { conditions: [] } };
    expect(await advise({ object: changed, oldObject, operation: 'UPDATE' })).toEqual({ isAllowed: true });
    const spec = { ...oldObject.spec, addresses: [] };
    expect(await advise({ object: { ...oldObject, spec }, oldObject, operation: 'UPDATE' })).toHaveProperty('missing');
  });

  test('says nothing of a route whose parents are of other groups, and of one for Services only that it has them', async () => {
    const server = { group: 'policy.linkerd.io', kind: 'Server', name: 'a' };
    const service = { group: '', kind: 'Service', name: 'web' };
    const of = (...parents: readonly JsonObject[]) => warningsOf({ object: route(parents) }, { classes, gateways });
    expect([await of(server), await of(server, { name: 'other' })]).toEqual([[], []]);
    for (const mistaken of ['networking.mesh.io', 'networking.istio.io', 'security.mesh.io', `${group}/v1`]) {
      const field = expect.stringMatching(/parentRefs\[0\]\.group/);
      expect(await of({ group: mistaken, kind: 'Gateway', name: 'edge' })).toContainEqual(field);
    }
    const parents = [expect.stringMatching(/parentRefs\[0\]\.group/), expect.stringMatching(/parentRefs\[0\]\.kind/)];
    expect([await of(service), await of(service, { name: 'other' })]).toEqual([parents, parents]);
    expect(await of({ name: 'own' }, server)).toContainEqual(expect.stringMatching(/filters\[0\]/));
    expect(await of({ name: 'own' }, service)).toContainEqual(expect.stringMatching(/filters\[0\]/));
  });
});

test('a fault of meshd refuses no object of the Gateway API, of which the client and the log are told so', async () => {
  const allowed = async (object: JsonObject) => {
    const fails = () => Promise.reject(new Error('a fault'));
    const { body, told } = await answerReview(fails, readReview(JSON.stringify(reviewOf({ object }))));
    const lines: string[] = [];
    const log = (message: string) => void lines.push(message);
    if (told !== undefined) logAdmission({ error: log, info: log, debug: log }, told);
    const { allowed: isAllowed, warnings } = JSON.parse(body).response;
    return [isAllowed, warnings, lines];
  };
  expect(await allowed(gateway('own'))).toEqual([
    true,
    ['meshd could not examine this object, and its log says why'],
    ['an object could not be examined, and is admitted'],
  ]);
  const policy = { apiVersion: 'security.mesh.io/v1', kind: 'PeerAuthentication', metadata: { name: 'a' }, spec: {} };
  expect(await allowed(policy)).toEqual([false, undefined, ['an object could not be judged, and is refused']]);
});
