import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../agent/log/log.ts';
import { defaultSettings } from '../../config/defaults.ts';
import type { Environment } from '../../config/environment.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { createCompileProxy } from '../../live/compile-proxy.ts';
import { FetchedKeySets } from '../../live/key-sets/remote.ts';
import { locateProxy } from './locate.ts';
import type { IdentityFlags } from './workload.ts';

const topology = `
apiVersion: v1
kind: Namespace
metadata: {name: n, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: n}
spec: {containers: [{name: app}]}
status: {podIP: 10.1.0.1, podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}
---
apiVersion: networking.mesh.io/v1alpha3
kind: WorkloadEntry
metadata: {name: vm, namespace: n, labels: {security.mesh.io/tlsMode: mesh}}
spec: {address: 10.1.0.9}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: n}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'locate-'));
  writeFileSync(join(folder, 'topology.yaml'), topology);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Node id and addresses of the bootstrap, and how often the machine was asked for its addresses. */
async function nodeOf(flags: Partial<IdentityFlags>, environment: Environment = {}, own: readonly string[] = []) {
  let asked = 0;
  const ownAddresses = async (): Promise<readonly string[]> => {
    asked += 1;
    return own;
  };
  const given = { id: '', ip: '', domain: '', ...flags };
  const inputs = [folder];
  const identity = await locateProxy({ flags: given, environment, settings: defaultSettings, inputs, ownAddresses });
  const log = createLog({ isJson: false, level: 'none', write: () => undefined });
  const keySets = new FetchedKeySets({ allowedHosts: [], log, onFetch: () => undefined });
  const { compile } = createCompileProxy({
    settings: { environment },
    policies: inputs,
    watched: [],
    templateFile: undefined,
    identity,
    ownAddresses,
    role: 'sidecar',
    fallbackSecret: 'none',
    keySets,
  });
  const result = await compile();
  keySets.close();
  if (!('files' in result)) throw new Error(JSON.stringify(result));
  const node = new Fragment(result.files.bootstrap).at('node');
  return { id: node.at('id').text, addresses: node.at('metadata', 'INSTANCE_IPS').text, asked };
}

const pod = { POD_NAME: 'p', POD_NAMESPACE: 'n' };

describe('the node id', () => {
  test('scenario 1: is, of a pod with INSTANCE_IP, what a control plane expects', async () => {
    const { id, asked } = await nodeOf({}, { ...pod, INSTANCE_IP: '10.0.0.1' });
    expect(id).toBe('sidecar~10.0.0.1~p.n~n.svc.cluster.local');
    expect(asked).toBe(0);
  });

  test.each<[string, Partial<IdentityFlags>, Environment, string]>([
    ['Cluster', {}, pod, 'sidecar~10.1.0.1~p.n~n.svc.cluster.local'],
    ['Cluster', { id: 'vm.n', ip: '::ffff:10.0.0.1' }, pod, 'sidecar~10.0.0.1~vm.n~n.svc.cluster.local'],
    ['Catalog', { ip: '10.1.0.9' }, {}, 'sidecar~10.1.0.9~10.1.0.9.service.consul~service.consul'],
    ['Catalog', { id: 'vm.n', ip: '10.9.9.9', domain: 'dc1' }, {}, 'sidecar~10.9.9.9~vm.n~dc1'],
    ['Catalog', {}, { ...pod, INSTANCE_IP: '10.9.9.9' }, 'sidecar~10.9.9.9~10.9.9.9.service.consul~service.consul'],
    ['Mock', {}, { INSTANCE_IP: 'fd00::1' }, 'sidecar~fd00::1~fd00::1~'],
  ])(
    'has for the registry %s the defaults of its kind: %j %j',
    async (serviceregistry, flags, environment, expected) => {
      const registry = serviceregistry as IdentityFlags['serviceregistry'] & string;
      const { id, asked } = await nodeOf({ serviceregistry: registry, ...flags }, environment);
      expect([id, asked]).toEqual([expected, 0]);
    },
  );

  test('takes addresses of the machine where its registry knows the proxy by nothing else', async () => {
    const { id, asked } = await nodeOf({ serviceregistry: 'Catalog' }, {}, ['10.1.0.1', 'fd00::1']);
    expect(id).toBe('sidecar~10.1.0.1~10.1.0.1.service.consul~service.consul');
    expect(asked).toBe(1);
  });

  test('uses addresses of the machine for a workload without an address', async () => {
    const { id, addresses, asked } = await nodeOf({ id: 'web.n' }, {}, ['10.7.0.1', 'fd00::7']);
    expect(id).toBe('sidecar~10.7.0.1~web.n~n.svc.cluster.local');
    expect([addresses, asked]).toEqual(['10.7.0.1,fd00::7', 1]);
  });
});

describe('locateProxy', () => {
  const served = (flags: Partial<IdentityFlags>, environment: Environment = {}) =>
    locateProxy({
      ...{ flags: { id: '', ip: '', domain: '', ...flags }, environment, settings: defaultSettings, inputs: [] },
      ownAddresses: async () => ['10.1.0.1'],
    });

  test.each<[string, Environment, string]>([
    ['is in the namespace of all services of a catalog', {}, 'default'],
    ['is in the namespace of POD_NAMESPACE', { POD_NAMESPACE: 'shop' }, 'shop'],
  ])(
    'leaves it to the control plane which workload has the address: the proxy %s',
    async (_, environment, namespace) => {
      expect(await served({ serviceregistry: 'Catalog' }, environment)).toEqual({
        ...{ namespace, name: '10.1.0.1', ip: '10.1.0.1' },
        ...{ id: '10.1.0.1.service.consul', domain: 'service.consul' },
      });
    },
  );

  test('does not guess the namespace that programs have registered a service in', async () => {
    await expect(served({ serviceregistry: 'Mock' })).rejects.toThrow(
      'nothing here says which namespace this workload is in: give POD_NAMESPACE, or --id NAME.NAMESPACE',
    );
  });

  test('says that no workload has the address', async () => {
    await expect(nodeOf({ serviceregistry: 'Mock', ip: '10.9.9.9' })).rejects.toThrow(
      'no workload of the inputs has the address "10.9.9.9": give --id NAME.NAMESPACE',
    );
  });

  test('does not choose between workloads of one address', async () => {
    writeFileSync(
      join(folder, 'twin.yaml'),
      topology.slice(topology.indexOf('apiVersion: v1\nkind: Pod')).replace('name: p,', 'name: q,').split('---')[0]!,
    );
    await expect(nodeOf({ serviceregistry: 'Mock', ip: '10.1.0.1' })).rejects.toThrow('several workloads');
    rmSync(join(folder, 'twin.yaml'));
  });
});
