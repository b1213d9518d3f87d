import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kubeconfigText } from '../../testing/kubernetes/kubeconfig-text.ts';
import type { ServeFlags } from './flags.ts';
import { configOf } from './testing/config-of.ts';

describe('controlConfigOf', () => {
  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['Cluster', 'Kubernetes']],
    [{ CLUSTER_ID: 'east' }, ['east']],
  ])('knows its cluster by %j', async (environment, expected) => {
    expect((await configOf(environment)).authority?.clusterIds).toEqual(expected);
  });

  test('has tokens by issuer or by file, for two audiences, by the policy', async () => {
    expect((await configOf({})).authority?.tokens).toBeUndefined();
    expect((await configOf({ JWT_POLICY: 'none' })).authority?.tokens).toBeUndefined();
    expect(
      (await configOf({ JWT_POLICY: 'first-party-jwt' }, { tokenIssuer: 'https://issuer' })).authority?.tokens,
    ).toMatchObject({
      issuer: 'https://issuer',
      keyFile: undefined,
      audiences: ['mesh-ca', 'istio-ca'],
      isFirstParty: true,
    });
    expect((await configOf({}, { tokenKeys: 'keys', tokenAudience: ['a'] })).authority?.tokens).toMatchObject({
      issuer: undefined,
      keyFile: 'keys',
      audiences: ['a'],
      isFirstParty: false,
    });
  });

  test.each<[Readonly<Record<string, string>>, Partial<ServeFlags>, object | undefined]>([
    [{}, {}, undefined],
    [{}, { kubernetes: true }, { audiences: ['mesh-ca', 'istio-ca'], isFirstParty: false }],
    [
      { JWT_POLICY: 'first-party-jwt' },
      { kubernetes: true, tokenAudience: ['a'] },
      { audiences: ['a'], isFirstParty: true },
    ],
    [{ JWT_POLICY: 'none' }, { kubernetes: true }, undefined],
  ])('has tokens verified by the API server, with %j and %j', async (environment, flags, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'meshd-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(6443, '-----BEGIN CERTIFICATE-----', 'token'));
    const isOn = flags.kubernetes === true;
    const given = isOn ? { ...flags, kubeconfig } : flags;
    const config = await configOf(environment, given);
    expect(config.authority?.reviews).toEqual(expected);
    expect(config.rootNamespaces).toEqual(isOn ? [] : undefined);
    const some = isOn && (await configOf({}, { ...given, watchNamespaces: ['foo'] }));
    if (some) expect(some.rootNamespaces).toEqual(['foo', 'mesh-system']);
    rmSync(folder, { recursive: true });
  });
});
