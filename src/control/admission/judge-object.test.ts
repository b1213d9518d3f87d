import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixtureObjects } from '../../definitions/testing/fixture-objects.ts';
import type { JsonObject } from '../../source/document.ts';
import { type Ruling, readReview } from './admission-review.ts';
import { judgeObject } from './judge-object.ts';
import { type ReviewParts, reviewOf } from './testing/reviews.ts';

async function judge(parts: ReviewParts, skipsGatewayApi = false): Promise<Ruling> {
  const review = readReview(JSON.stringify(reviewOf(parts)));
  if (typeof review === 'string') throw new Error(review);
  return judgeObject(review.request, { revision: 'default', skipsGatewayApi });
}

const policy = (spec: JsonObject, metadata: JsonObject = { name: 'demo', namespace: 'foo' }): JsonObject => ({
  ...{ apiVersion: 'security.mesh.io/v1', kind: 'PeerAuthentication', metadata, spec },
});
const invalid = { mtls: { mode: 'STRIKT' } };
const valid = { mtls: { mode: 'STRICT' } };

describe('judgeObject', () => {
  test('names the field, what was found and expected, the code, and what to do', async () => {
    const { isAllowed, message, causes } = await judge({ object: policy(invalid) });
    expect(isAllowed).toBe(false);
    expect(message).toBe(
      'spec.mtls.mode: "mode" is "STRIKT", expected one of UNSET, DISABLE, PERMISSIVE, STRICT [unknown-enum-value]; did you mean "STRICT"?',
    );
    expect(causes).toEqual([
      { field: 'spec.mtls.mode', message: expect.stringMatching(/^"mode" is "STRIKT".*\[unknown-enum-value\]$/) },
    ]);
  });

  test('refuses a policy that names a Gateway where meshd does not read the Gateway API, and would refuse it afterwards', async () => {
    const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
    const object = { ...policy({ targetRefs, rules: [{}] }), kind: 'AuthorizationPolicy' };
    expect(await judge({ object })).toMatchObject({ isAllowed: true });
    expect(await judge({ object }, true)).toMatchObject({
      isAllowed: false,
      causes: [{ field: 'spec.targetRefs', message: expect.stringContaining('PILOT_ENABLED_SERVICE_APIS') }],
    });
  });

  test('admits each object of fixtures/ok', async () => {
    const objects = fixtureObjects('fixtures/ok');
    expect(objects.length).toBeGreaterThan(200);
    const refused: string[] = [];
    for (const { fixture, value } of objects) {
      const { isAllowed, message } = await judge({ object: stored(value) });
      if (!isAllowed) refused.push(`${fixture}: ${message}`);
    }
    expect(refused).toEqual([]);
  });

  test('refuses, with the code of the compiler, what definitions of the kinds let through', async () => {
    const { left } = JSON.parse(readFileSync('fixtures/server-checks.json', 'utf8')) as {
      readonly left: Readonly<Record<string, readonly string[]>>;
    };
    const codes: Record<string, readonly string[]> = {};
    for (const { fixture, value } of fixtureObjects('fixtures/err')) {
      if (left[fixture] === undefined) continue;
      const { causes = [] } = await judge({ object: stored(value) });
      const found = causes.map(({ message }) => /\[([^[]+)\]$/.exec(message)?.[1] ?? message);
      codes[fixture] = [...new Set([...(codes[fixture] ?? []), ...found])].sort();
    }
    expect(codes).toEqual(left);
  });

  test.each([
    ['ServiceEntry', { endpoints: [{ address: 'a b' }] }, 'spec.endpoints[0].address', 'invalid-address'],
    ['ServiceEntry', { endpoints: [{ address: 'unix://x' }] }, 'spec.endpoints[0].address', 'invalid-address'],
    ['ServiceEntry', { resolution: 'DYNAMIC_DNS' }, 'spec.resolution', 'unsupported-resolution'],
    ['WorkloadEntry', { address: '10.0.0.300' }, 'spec.address', 'invalid-address'],
  ])('refuses what the topology refuses of one object: %s %j', async (kind, part, field, code) => {
    const service = { hosts: ['a.com'], ports: [{ number: 80, name: 'http' }], resolution: 'STATIC' };
    const spec = { ...(kind === 'ServiceEntry' && service), ...part };
    const metadata = { name: 'demo', namespace: 'foo' };
    const { isAllowed, causes } = await judge({
      object: { apiVersion: 'networking.mesh.io/v1', kind, metadata, spec },
    });
    const message = expect.stringMatching(`\\[${code}\\]$`);
    expect([isAllowed, causes]).toEqual([false, [{ field, message }]]);
  });

  test('gives warnings of the compiler as warnings', async () => {
    const group = {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'WorkloadGroup',
      metadata: { name: 'a', namespace: 'foo' },
    };
    const { isAllowed, warnings } = await judge({ object: { ...group, spec: { template: { address: '10.0.0.1' } } } });
    expect(isAllowed).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/^spec\.template\.address: .*\[group-field-without-effect\]$/)]);
  });

  test('knows an object that asks for a name, and one whose namespace stands beside it', async () => {
    const object = policy(valid, { generateName: `${'a'.repeat(70)}-` });
    expect(await judge({ object })).toEqual({ isAllowed: true, warnings: [] });
    expect((await judge({ object: policy(invalid, { generateName: 'a-' }) })).isAllowed).toBe(false);
    expect((await judge({ object: policy(valid, {}) })).message).toMatch(/\[missing-field\]/);
  });

  test('lets the deletion of an invalid object through, and what a deletion waits for', async () => {
    const oldObject = policy(invalid);
    expect((await judge({ oldObject, operation: 'DELETE' })).isAllowed).toBe(true);
    const object = policy(invalid, { name: 'demo', namespace: 'foo', deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await judge({ object, oldObject, operation: 'UPDATE' })).isAllowed).toBe(true);
  });

  test('lets metadata of an invalid object change, with a warning, and nothing else of it', async () => {
    const oldObject = policy(invalid);
    const metadata = { name: 'demo', namespace: 'foo', labels: { team: 'a' } };
    const labelled = await judge({ object: policy(invalid, metadata), oldObject, operation: 'UPDATE' });
    expect(labelled.isAllowed).toBe(true);
    expect(labelled.warnings).toEqual([expect.stringMatching(/^invalid as before: spec\.mtls\.mode: /)]);
    const worse = policy(invalid, { name: 'demo', namespace: 'foo', labels: { 'no label!': 'a' } });
    expect((await judge({ object: worse, oldObject, operation: 'UPDATE' })).isAllowed).toBe(false);
    const other = policy({ ...invalid, selector: { matchLabels: { app: 'a' } } });
    expect((await judge({ object: other, oldObject, operation: 'UPDATE' })).isAllowed).toBe(false);
    expect((await judge({ object: policy(valid), oldObject, operation: 'UPDATE' })).isAllowed).toBe(true);
    expect((await judge({ object: policy(invalid), oldObject: policy(valid), operation: 'UPDATE' })).isAllowed).toBe(
      false,
    );
  });

  test('refuses the object of a trial of its own revision, and admits that of another one', async () => {
    const trialOf = (revision: string) => {
      const annotations = { 'mesh.io/trial-of-the-webhook': revision };
      return judge({ object: policy(valid, { name: 'demo', namespace: 'foo', annotations }) });
    };
    const message = expect.stringMatching(/of the revision "default" is asked/);
    expect(await trialOf('default')).toMatchObject({ isAllowed: false, message });
    expect(await trialOf('canary')).toMatchObject({ isAllowed: true });
  });

  test('has no opinion on kinds that nobody here reads', async () => {
    const object = { apiVersion: 'batch.example.com/v1', kind: 'Task', metadata: { name: 'a', namespace: 'foo' } };
    expect(await judge({ object })).toEqual({ isAllowed: true, warnings: [] });
  });
});

/** A server adds the namespace where the request names it. */
function stored(value: JsonObject): JsonObject {
  const metadata = { namespace: 'default', ...(value.metadata as JsonObject | undefined) };
  return { ...value, metadata };
}
