import { describe, expect, test } from 'vitest';
import { followedKinds } from '../control/registry/cluster/kinds.ts';
import { knownKinds, ownGroups } from '../schema/kinds.ts';
import { defineKind } from './define-kind.ts';
import { definedKinds } from './defined-kinds.ts';
import type { StructuralSchema } from './structural-schema.ts';

const specOf = (kind: string, keepsUnknown = false): StructuralSchema => {
  const defined = definedKinds.find((it) => it.kind === kind) ?? expect.fail(kind);
  return defineKind(defined, { keepsUnknown }).spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
};

describe('defineKind', () => {
  test('has every kind of our groups, sorted by name, with the versions that are read', () => {
    const own = knownKinds.filter(({ group }) => ownGroups.includes(group));
    expect(definedKinds.map(({ kind }) => kind)).toEqual(own.map(({ kind }) => kind).sort());
    for (const { kind, group, versions } of own) {
      const defined = definedKinds.find((it) => it.kind === kind) ?? expect.fail(kind);
      expect(defined.group).toBe(group);
      const served = defineKind(defined).spec.versions;
      expect(served.map(({ name }) => name).sort()).toEqual([...versions].sort());
      expect(served.filter(({ storage }) => storage).map(({ name }) => name)).toEqual(['v1']);
    }
  });

  test('uses the plural names with which the registry of a cluster asks for the kinds', () => {
    const followed = followedKinds({ slices: false }).filter(({ type }) => ownGroups.includes(type.group));
    const asked = followed.map(({ type }) => `${type.resource}.${type.group}`).sort();
    expect(definedKinds.map((defined) => defineKind(defined).metadata.name).sort()).toEqual(asked);
    for (const { type } of followed) {
      const defined = definedKinds.find(({ kind }) => kind === type.kind) ?? expect.fail(type.kind);
      expect(defineKind(defined).spec.versions.map(({ name }) => name)).toContain(type.version);
    }
  });

  test('fits into the annotation of kubectl apply, which has at most 256 KiB', () => {
    for (const defined of definedKinds) {
      expect(JSON.stringify(defineKind(defined)).length).toBeLessThan(256 * 1024);
    }
  });

  test("gives a text its pattern, an enum its values and Istio's aliases, and a number its bounds", () => {
    const { properties = {} } = specOf('DestinationRule').properties?.trafficPolicy ?? {};
    expect(properties.tls?.properties?.mode?.enum).toEqual([
      'DISABLE',
      'SIMPLE',
      'MUTUAL',
      'MESH_MUTUAL',
      'ISTIO_MUTUAL',
    ]);
    const { maxConnections, connectTimeout } = properties.connectionPool?.properties?.tcp?.properties ?? {};
    expect(maxConnections).toMatchObject({ type: 'integer', minimum: 0, maximum: 2_147_483_647 });
    expect(connectTimeout).toMatchObject({ type: 'string', pattern: expect.stringMatching(/^\^.*\$$/) });
    expect(specOf('ServiceEntry').properties?.resolution?.enum).not.toContain('DYNAMIC_DNS');
    expect(specOf('ProxyConfig').properties?.concurrency).toMatchObject({ type: 'integer', nullable: true });
  });

  test('says what to write instead of fields that are not supported', () => {
    const { properties = {} } = specOf('DestinationRule').properties?.trafficPolicy ?? {};
    const { properties: fields, 'x-kubernetes-validations': rules = [] } = properties.loadBalancer ?? {};
    expect(fields?.warmup).toMatchObject({ type: 'object' });
    expect(rules.find(({ fieldPath }) => fieldPath === '.warmup')).toEqual({
      ...{ rule: '!has(self.warmup)', fieldPath: '.warmup', reason: 'FieldValueForbidden' },
      message: 'not supported: use "warmupDurationSecs"',
    });
  });

  test('keeps unknown fields of every object with fields, if it is told to', () => {
    const keeps = 'x-kubernetes-preserve-unknown-fields';
    const { items } = specOf('AuthorizationPolicy', true).properties?.rules ?? {};
    expect([specOf('AuthorizationPolicy', true)[keeps], items?.[keeps]]).toEqual([true, true]);
    expect(specOf('AuthorizationPolicy')[keeps]).toBeUndefined();
  });
});
