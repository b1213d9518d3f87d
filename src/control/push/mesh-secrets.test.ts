import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EnvoyConfig, Resource } from '../../compiler/render/resource.ts';
import { createMeshCa, type IssuedCertificate } from '../../testing/certificates.ts';
import { meshObject } from '../../testing/objects.ts';
import { MeshSecrets } from './mesh-secrets.ts';

/** A configuration whose listeners ask for these secrets. */
function configOf(...names: readonly string[]): EnvoyConfig {
  const json = { name: 'edge', tls_certificate_sds_secret_configs: names.map((name) => ({ name })) };
  const listeners = [{ type: 'listener', name: 'edge', text: '', json, origins: [] } as unknown as Resource];
  return { own: { listeners }, shared: { listeners: [] } } as unknown as EnvoyConfig;
}

describe('MeshSecrets', () => {
  let issued: IssuedCertificate;
  let told: string[];
  let secrets: MeshSecrets;

  beforeAll(async () => {
    issued = await (await createMeshCa()).issue('', { uris: [], dnsNames: ['shop.example'] });
  });
  beforeEach(() => {
    told = [];
    secrets = new MeshSecrets({
      error: (text, { name = '', namespace = '' } = {}) => void told.push(`${namespace} ${name}: ${text}`),
    });
  });

  const secret = (name: string, { certificateChain, privateKey }: Partial<IssuedCertificate> = issued) => {
    const data = { 'tls.crt': btoa(certificateChain ?? ''), 'tls.key': btoa(privateKey ?? '') };
    return { ...meshObject('Secret', name), data };
  };
  const shop = 'kubernetes://shop';
  const [config, spare] = [configOf(shop), configOf(shop, 'kubernetes://spare')];
  const router = (namespace: string) => ({ namespace, role: 'router' as const });
  type Objects = Parameters<MeshSecrets['of']>[2];
  const namesOf = (configs: readonly EnvoyConfig[], workloads: Parameters<MeshSecrets['of']>[1], objects: Objects) =>
    secrets.of(configs, workloads, objects).map((list) => list.map(({ name }) => name));

  test('gives each gateway what it asks for of its own namespace, and a sidecar or an unknown workload nothing', () => {
    const objects = [secret('foo/shop'), secret('foo/spare')];
    const workloads = [router('foo'), router('foo'), router('bar'), { namespace: 'foo', role: 'sidecar' as const }, {}];
    const given = namesOf([config, spare, config, config, config], workloads, objects);
    expect(given).toEqual([[shop], [shop, 'kubernetes://spare'], [], [], []]);
    expect(told).toEqual([expect.stringMatching(/^bar kubernetes:\/\/shop: .* is not there, .* stays closed$/)]);
  });

  test('looks at keys again only where a Secret of the namespace, or what is asked for, is another one', () => {
    const [own, other] = [secret('foo/shop'), secret('bar/shop')];
    const of = (...objects: Objects) => secrets.of([config], [router('foo')], objects)[0]?.[0];
    const first = of(own, other);
    expect(first).toBeDefined();
    expect(of(own, secret('bar/shop'))).toBe(first);
    expect(of(secret('foo/shop'), other)).not.toBe(first);
  });

  test('keeps the last valid certificate and key of its namespace, until no gateway of the namespace names the Secret', () => {
    const bad = { ...issued, privateKey: '' };
    const give = (namespace: string, texts: Partial<IssuedCertificate>) =>
      namesOf([config], [router(namespace)], [secret(`${namespace}/shop`, texts)]);
    // PEM that holds no certificate: who compiles does not look into it.
    const broken = {
      ...issued,
      certificateChain: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    };
    expect(give('foo', issued)).toEqual([[shop]]);
    expect(give('foo', broken)).toEqual([[shop]]);
    expect(give('bar', broken)).toEqual([[]]);
    expect(give('foo', broken)).toEqual([[]]);
    expect(give('foo', bad)).toEqual([[]]);
    expect(told.join('\n')).not.toContain('PRIVATE KEY');
  });

  test('reports a missing Secret once, and again when it disappears again', () => {
    const take = (...objects: Objects) => namesOf([config], [router('foo')], objects);
    take();
    take(secret('foo/else'));
    expect(told).toHaveLength(1);
    take(secret('foo/shop'));
    take();
    expect(told).toHaveLength(2);
  });
});
