import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { HostFacts } from '../../config/host-facts.ts';
import type { ProxySettings } from '../../config/settings.ts';
import type { Workload } from '../topology/model.ts';
import { lowerBootstrap } from './bootstrap.ts';

const workload = {
  namespace: 'a',
  name: 'web-1',
  labels: { app: 'web' },
  annotations: { 'sidecar.mesh.io/statsInclusionPrefixes': 'of-inputs' },
  serviceAccount: 'web',
  role: 'sidecar',
  addresses: ['10.0.0.1'],
  families: ['ipv4'],
  locality: 'east/1',
} as unknown as Workload;

const nothing: HostFacts = { memoryLimitBytes: undefined, addresses: [], labels: {}, annotations: {}, metadata: {} };

const lowered = (host: Partial<HostFacts> = {}, proxy: Partial<ProxySettings> = {}) =>
  lowerBootstrap(
    workload,
    { ...defaultSettings, proxy: { ...defaultSettings.proxy, ...proxy } },
    { ...nothing, ...host },
  );

describe('lowerBootstrap', () => {
  test('says the same without a machine and on one that says nothing', () => {
    expect(lowered()).toEqual(lowerBootstrap(workload, defaultSettings));
  });

  test('lays metadata in layers: what is usual, variables of the configuration, of the machine, what the workload is', () => {
    const { metadata } = lowered(
      {
        metadata: { MESH_ID: 'of-machine', NAME: 'forged', OWNER: 'o' },
        labels: { app: 'new' },
        addresses: ['10.9.9.9'],
      },
      {
        proxyMetadata: {
          MESH_META_MESH_ID: 'of-configuration',
          MESH_META_NETWORK: 'n',
          MESH_META_CLUSTER_ID: 'west',
          MESH_META_WORKLOAD_X: 'kept from it',
          MESH_META_WORKLOAD_NAME: 'web',
          OTHER: 'not metadata',
        },
      },
    );
    expect(metadata).toEqual({
      CLUSTER_ID: 'west',
      INSTANCE_IPS: '10.9.9.9,10.0.0.1',
      INTERCEPTION_MODE: 'REDIRECT',
      LABELS: { app: 'new' },
      MESH_ID: 'of-machine',
      NAME: 'web-1',
      NAMESPACE: 'a',
      NETWORK: 'n',
      OWNER: 'o',
      SDS: 'true',
      SERVICE_ACCOUNT: 'web',
      WORKLOAD_NAME: 'web',
    });
    expect(Object.keys(metadata)).toEqual(Object.keys(metadata).sort());
  });

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['of the inputs', {}, { region: 'east', zone: '1', subZone: '' }],
    ['of a label with dots', { 'mesh-locality': 'west.2.b' }, { region: 'west', zone: '2', subZone: 'b' }],
    ['of a label with slashes', { 'mesh-locality': 'west/2' }, { region: 'west', zone: '2', subZone: '' }],
  ])('takes the locality %s', (_, labels, expected) => {
    expect(lowered({ labels }).locality).toEqual(expected);
  });

  test('takes annotations of the machine before those of the inputs, and puts addresses in', () => {
    const annotations = {
      'sidecar.mesh.io/statsInclusionPrefixes': 'at.{pod_ip}, ,x',
      'sidecar.mesh.io/statsInclusionRegexps': 'at\\.{pod_ip}.*',
      'sidecar.mesh.io/extraStatTags': 'a,b,a',
    };
    const addresses = ['fd00::1'];
    const { statsInclusion, extraStatTags } = lowered({ annotations, addresses }, { statsInclusionPrefixes: ['x'] });
    expect(statsInclusion).toEqual({
      prefixes: ['x', 'at.fd00::1', 'at.10.0.0.1'],
      suffixes: [],
      regexps: ['at\\.fd00::1.*', 'at\\.10\\.0\\.0\\.1.*'],
    });
    expect(extraStatTags).toEqual(['a', 'b']);
  });

  test.each([
    [{}, { maxConnections: 500_000, maxHeapBytes: undefined, keptHeapBytes: undefined }],
    [{ memoryLimitBytes: 2 ** 27 }, { maxConnections: 6144, maxHeapBytes: 0.75 * 2 ** 27, keptHeapBytes: 2 ** 25 }],
    [
      { memoryLimitBytes: 2 ** 30 },
      { maxConnections: 57_344, maxHeapBytes: 2 ** 30 - 2 ** 27, keptHeapBytes: 313_174_698 },
    ],
    [{ memoryLimitBytes: 2 ** 40 }, { maxConnections: 500_000, maxHeapBytes: 2 ** 40 - 2 ** 27 }],
    [{ memoryLimitBytes: 1 }, { maxConnections: 1, maxHeapBytes: 0 }],
    [{ descriptorLimit: 1024 }, { maxConnections: 384, maxHeapBytes: undefined }],
    [{ descriptorLimit: 2 ** 16 }, { maxConnections: 32_640, maxHeapBytes: undefined }],
    [{ memoryLimitBytes: 2 ** 30, descriptorLimit: 2 ** 20 }, { maxConnections: 57_344 }],
  ])('leaves Envoy a part of what the machine gives: %j', (machine, expected) => {
    expect(lowered(machine).overload).toMatchObject(expected);
  });
});
