import { beforeEach, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { GivenFleet } from '../../live/testing/given-fleet.ts';
import { suffixesKey } from '../../xds/name-resources.ts';
import { MeshNames } from './mesh-names.ts';
import { ServedNames } from './served-names.ts';

const suffix = '.svc.cluster.local';

/** A Sidecar of the namespace, for all its workloads or for those with the label. */
const sidecar = (namespace: string, hosts: string, rest = ''): string => `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: own, namespace: ${namespace}}
spec: {${rest}egress: [{hosts: [${hosts}]}]}
`;

/** The workload `web` is in each of the namespaces `a`, `b` and `c`, with a Service. */
describe('the names that a workload may know', () => {
  let fleet: GivenFleet;
  let names: MeshNames;
  let served: ServedNames;
  beforeEach(() => {
    fleet = new GivenFleet(false);
    names = new MeshNames();
    served = new ServedNames();
  });

  /** Changes the mesh; gives what each workload may know of `web` in the namespaces, and whether anything was told. */
  async function knownAfter(texts: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const { snapshot, outcomes } = await fleet.take(texts);
    if (snapshot === undefined) throw new Error('nothing is in force');
    const changes = names.changesTo(snapshot, outcomes.keys(), defaultSettings);
    if (changes !== undefined) served.take(structuredClone(changes));
    const known = ['a', 'b', 'c'].map((namespace, i) => {
      const ofAgent = served.viewOf(namespace, `${namespace}/web`).all.map(({ name }) => name);
      const zone = served.zoneFor({ namespace, serviceAccount: 'default', address: `10.0.0.${i + 1}` });
      const hosts = ['a', 'b', 'c'].filter((other) => {
        return zone?.find(['web', other, ...suffix.split('.').slice(1)], namespace).type === 'known';
      });
      expect(ofAgent.sort()).toEqual([...hosts.map((other) => `${other}/web.${other}${suffix}`), suffixesKey].sort());
      return [namespace, hosts.join('')] as const;
    });
    return { ...Object.fromEntries(known), told: String(changes !== undefined) };
  }

  test('are all without a Sidecar, and with one those of the services that it imports', async () => {
    expect(await knownAfter({})).toEqual({ a: 'abc', b: 'abc', c: 'abc', told: 'true' });
    const only = { 'a.yaml': sidecar('a', '"./*"') };
    expect(await knownAfter(only)).toEqual({ a: 'a', b: 'abc', c: 'abc', told: 'true' });
    expect(await knownAfter(only)).toMatchObject({ a: 'a', told: 'false' });
    expect(await knownAfter({ 'a.yaml': sidecar('a', `"b/web.b${suffix}"`) })).toMatchObject({ a: 'b', b: 'abc' });
    expect(await knownAfter({ 'a.yaml': sidecar('a', '"~/*"') })).toMatchObject({ a: '', b: 'abc' });
    expect(await knownAfter({})).toEqual({ a: 'abc', b: 'abc', c: 'abc', told: 'true' });
  });

  test('follow the Sidecar of the mesh, and the one that selects the workload', async () => {
    const whole = { 'root.yaml': sidecar('mesh-system', '"./*"') };
    expect(await knownAfter(whole)).toMatchObject({ a: 'a', b: 'b', c: 'c' });
    const selecting = sidecar('b', '"*/*"', 'workloadSelector: {labels: {app: web}}, ');
    expect(await knownAfter({ ...whole, 'b.yaml': selecting })).toMatchObject({ a: 'a', b: 'abc', c: 'c' });
  });

  test('are also those to which imported routes lead, and those that such routes are for', async () => {
    const routes = (hosts: string, to: string, rest = ''): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: a}
spec: {${rest}hosts: [${hosts}], http: [{route: [{destination: {host: web.${to}${suffix}}}]}]}
`;
    const imports = { 'a.yaml': sidecar('a', '"./*"') };
    const along = async (text: string) => knownAfter({ ...imports, 'routes.yaml': text });
    expect(await along(routes(`web.a${suffix}`, 'c'))).toMatchObject({ a: 'ac', b: 'abc' });
    expect(await along(routes(`web.b${suffix}`, 'a'))).toMatchObject({ a: 'ab', b: 'abc' });
    expect(await along(routes(`"*.b${suffix}"`, 'a'))).toMatchObject({ a: 'ab' });
    expect(await along(routes(`web.b${suffix}`, 'c', 'gateways: [mesh-system/edge], '))).toMatchObject({ a: 'ac' });
    expect(await knownAfter(imports)).toMatchObject({ a: 'a' });
  });

  test('stay as they were while the Sidecar is invalid', async () => {
    const imports = { 'a.yaml': sidecar('a', '"./*"') };
    expect(await knownAfter(imports)).toMatchObject({ a: 'a' });
    expect(await knownAfter({ 'a.yaml': sidecar('a', '"./*", ""') })).toMatchObject({ a: 'a', b: 'abc' });
  });

  test('are told whole to a thread that knows nothing', async () => {
    const imports = { 'a.yaml': sidecar('a', '"./*"') };
    await knownAfter(imports);
    names = new MeshNames();
    expect(await knownAfter(imports)).toEqual({ a: 'a', b: 'abc', c: 'abc', told: 'true' });
  });
});
