import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../kubernetes/resource-type.ts';
import { patchOf } from './webhook-configuration.ts';

const rulesOf = (...apiGroups: readonly string[]) => [{ apiGroups, resources: ['*'] }];
const configuration = (...webhooks: readonly object[]): ApiObject => ({
  metadata: { name: 'mesh-validator', resourceVersion: '7' },
  webhooks,
});
const policies = (failurePolicy: string) => ({
  ...{ name: 'validation.mesh.io', failurePolicy, rules: rulesOf('security.mesh.io', 'networking.mesh.io') },
});
const advice = (failurePolicy: string) => ({
  ...{ name: 'advice.validation.mesh.io', failurePolicy, rules: rulesOf('gateway.networking.k8s.io') },
});
const proven = { roots: undefined, isProven: true };
const unproven = { roots: undefined, isProven: false };

describe('patchOf', () => {
  test('writes Fail to the webhooks that may refuse objects, and none to those that advise', () => {
    expect(patchOf(configuration(policies('Ignore'), advice('Ignore')), proven)).toEqual({
      metadata: { resourceVersion: '7' },
      webhooks: [{ name: 'validation.mesh.io', failurePolicy: 'Fail' }],
    });
    expect(patchOf(configuration(policies('Fail'), advice('Ignore')), proven)).toBeUndefined();
    expect(patchOf(configuration(policies('Ignore'), advice('Ignore')), unproven)).toBeUndefined();
  });

  test('takes Fail away from a webhook that advises, as an older meshd writes it there, and from no other', () => {
    const patch = {
      metadata: { resourceVersion: '7' },
      webhooks: [{ name: 'advice.validation.mesh.io', failurePolicy: 'Ignore' }],
    };
    expect(patchOf(configuration(policies('Fail'), advice('Fail')), unproven)).toEqual(patch);
    expect(patchOf(configuration(policies('Fail'), advice('Fail')), proven)).toEqual(patch);
    const both = { ...advice('Ignore'), rules: rulesOf('security.mesh.io', 'gateway.networking.k8s.io') };
    expect(patchOf(configuration(both), unproven)).toBeUndefined();
  });

  test('gives each webhook the roots', () => {
    const caBundle = Buffer.from('roots').toString('base64');
    const clientConfig = { caBundle };
    expect(patchOf(configuration(policies('Fail'), advice('Ignore')), { ...unproven, roots: 'roots' })).toMatchObject({
      webhooks: [
        { name: 'validation.mesh.io', clientConfig },
        { name: 'advice.validation.mesh.io', clientConfig },
      ],
    });
  });
});
