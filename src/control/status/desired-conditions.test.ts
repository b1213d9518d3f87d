import { describe, expect, test } from 'vitest';
import type { Condition } from './condition.ts';
import { desiredConditions, isUnsettled } from './desired-conditions.ts';
import type { ObjectReport, Verdict } from './object-report.ts';
import { statusRequest } from './status-request.ts';

const type = {
  ...{ group: 'security.mesh.io', version: 'v1beta1', kind: 'AuthorizationPolicy', resource: 'authorizationpolicies' },
  isNamespaced: true,
};
const sound: Verdict = { version: 'v1', errors: [], lint: undefined };
const config = { reconciliation: true, analysis: false };

function report(verdict: Verdict | undefined, conditions: readonly Condition[] = [], generation = 3): ObjectReport {
  return { path: 'p', type, namespace: 'foo', name: 'deny', generation, revision: '77', conditions, verdict };
}

const reachOf = (proxies: number, connected: number, isKnownToAll = true) => ({
  of: () => ({ proxies, connected, isKnownToAll }),
});
const wordsOf = (of: ObjectReport, proxies = 2, connected = 2) =>
  desiredConditions(of, { config, reach: reachOf(proxies, connected) }) ?? [];
const typed = (words: readonly { readonly type: string }[], name: string) => words.find((it) => it.type === name);
const at = (text: string): Date => new Date(text);

/** The conditions that a first write of these words leaves. */
function written(of: ObjectReport, proxies = 2, connected = 2, now = at('2026-01-01T00:00:00Z')): readonly Condition[] {
  const { body } = statusRequest(of, wordsOf(of, proxies, connected), now) ?? {};
  return (body as { readonly status: { readonly conditions: readonly Condition[] } }).status.conditions;
}

describe('desiredConditions', () => {
  test('says nothing of an object that is not compiled yet', () => {
    expect(desiredConditions(report(undefined), { config, reach: reachOf(0, 0) })).toBeUndefined();
  });

  test.each([
    [1, 2, { status: 'False', reason: 'InProgress', message: '1/2 have version v1' }, true],
    [2, 2, { status: 'True', reason: 'AllProxies', message: '2/2 have version v1' }, false],
    [0, 0, { status: 'Unknown', reason: 'NoProxies', message: '0/0 have version v1' }, true],
  ])('says that %d of %d proxies have a version', (proxies, connected, expected, unsettled) => {
    const words = wordsOf(report(sound), proxies, connected);
    expect(typed(words, 'Distributed')).toMatchObject(expected);
    expect(isUnsettled(words)).toBe(unsettled);
  });

  test('does not say that all proxies have a version that a replica does not serve yet', () => {
    const words = desiredConditions(report(sound), { config, reach: reachOf(2, 2, false) }) ?? [];
    expect(typed(words, 'Distributed')).toMatchObject({
      ...{ status: 'False', reason: 'InProgress' },
      message: '2/2 have version v1; not every replica of meshd serves it yet',
    });
  });

  test('does not take back that all proxies have a version, when others come; but does so for another version', () => {
    const conditions = written(report(sound));
    expect(typed(wordsOf(report(sound, conditions), 2, 9), 'Distributed')).toMatchObject({ status: 'True' });
    expect(typed(wordsOf(report({ ...sound, version: 'v2' }, conditions), 2, 9), 'Distributed')).toMatchObject({
      ...{ status: 'False', message: '2/9 have version v2' },
    });
    expect(typed(wordsOf(report(sound, conditions, 4), 2, 9), 'Distributed')).toMatchObject({ status: 'False' });
  });

  test('names code, field and message of each error, and is cut before a server would refuse it', () => {
    const errors = [
      { code: 'unknown-field', field: 'spec.rulez', message: 'unknown field "rulez"' },
      { code: 'weight-total-not-100', field: '', message: 'x'.repeat(9_000) },
    ];
    const accepted = typed(wordsOf(report({ ...sound, errors })), 'Accepted') as Condition;
    expect(accepted).toMatchObject({ status: 'False', reason: 'UnknownField' });
    expect(accepted.message).toMatch(/^spec\.rulez: unknown field "rulez" \[unknown-field\]; xxx/);
    expect(accepted.message).toMatch(/x…; the last valid version of the object is in force$/);
    expect(accepted.message).toHaveLength(4_000);
  });

  test('says what lint finds, where that is wanted and known', () => {
    const lint = [{ code: 'MP001', field: 'spec', message: 'too wide' }];
    const analysis = { config: { reconciliation: false, analysis: true }, reach: undefined };
    expect(desiredConditions(report({ ...sound, lint }), analysis)).toEqual([
      { type: 'LintPassed', status: 'False', reason: 'MP001', message: 'spec: too wide [MP001]' },
    ]);
    expect(desiredConditions(report({ ...sound, lint: [] }), analysis)).toMatchObject([{ status: 'True' }]);
    expect(desiredConditions(report(sound), analysis)).toEqual([]);
    // Until lint has looked again, what it said of the generation before stays as it is.
    const before: Condition = {
      ...{ type: 'LintPassed', status: 'True', reason: 'NoFindings', message: '', observedGeneration: 2 },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const changed = report(sound, [before]);
    expect(statusRequest(changed, desiredConditions(changed, analysis) ?? [], new Date())).toBeUndefined();
  });
});

describe('statusRequest', () => {
  test('applies to the revision that was seen, with our field manager, and with the generation', () => {
    const request = statusRequest(report(sound), wordsOf(report(sound)), at('2026-01-01T00:00:00.5Z'));
    const folder = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';
    expect(request).toMatchObject({
      ...{ method: 'PATCH', contentType: 'application/apply-patch+yaml' },
      path: `${folder}/deny/status?fieldManager=meshd&force=true`,
      body: {
        ...{ apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy' },
        metadata: { namespace: 'foo', name: 'deny', resourceVersion: '77' },
      },
    });
    expect(written(report(sound))[0]).toEqual({
      ...{ type: 'Accepted', status: 'True', reason: 'Valid', message: 'the object is in force' },
      ...{ observedGeneration: 3, lastTransitionTime: '2026-01-01T00:00:00Z' },
    });
  });

  test('is none where the object says it already, and keeps the time of a condition whose status stays', () => {
    const conditions = written(report(sound), 1, 2);
    const later = at('2026-02-02T00:00:00Z');
    expect(statusRequest(report(sound, conditions), wordsOf(report(sound), 1, 2), later)).toBeUndefined();
    const next = report({ ...sound, version: 'v2' }, conditions, 4);
    const [accepted, distributed] = written(next, 2, 2, later);
    expect(accepted).toMatchObject({ observedGeneration: 4, lastTransitionTime: '2026-01-01T00:00:00Z' });
    expect(distributed).toMatchObject({ status: 'True', lastTransitionTime: '2026-02-02T00:00:00Z' });
  });

  test('takes away a condition that is not written any more', () => {
    const conditions = written(report(sound));
    const [accepted] = wordsOf(report(sound));
    expect(statusRequest(report(sound, conditions), accepted ? [accepted] : [], new Date())).toBeDefined();
  });
});
