import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { noProxiesInFront } from '../../../config/gateway-topology.ts';
import type { SettingOrigin, Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { meshWorkload } from '../../../testing/topology.ts';
import { gatewayTopologyOf, warnOfTopologyAtSidecar } from './topology.ts';

const workload = (config?: string) => ({
  ...meshWorkload('shop/edge', [], { role: 'router' }),
  annotations: config === undefined ? {} : { 'proxy.mesh.io/config': config },
});
const behindOne = { ...noProxiesInFront, numTrustedProxies: 1 };

function settingsWith(source: SettingOrigin['source'], gatewayTopology = behindOne): Settings {
  return {
    ...defaultSettings,
    proxy: { ...defaultSettings.proxy, gatewayTopology },
    origins: { 'proxy.gatewayTopology': { source, detail: 'somewhere' } },
  };
}

function topologyOf(config: string | undefined, settings: Settings = defaultSettings) {
  const bag = new DiagnosticBag();
  return { topology: gatewayTopologyOf(workload(config), settings, bag), codes: bag.all.map(({ code }) => code) };
}

describe('gatewayTopologyOf', () => {
  test('is that of the settings where the annotation says nothing of it', () => {
    for (const config of [undefined, '', '# nothing', 'concurrency: 2', 'gatewayTopology: null', 'image: {a: b}']) {
      expect(topologyOf(config, settingsWith('file'))).toEqual({ topology: behindOne, codes: [] });
    }
    expect(topologyOf(undefined)).toEqual({ topology: noProxiesInFront, codes: [] });
  });

  test.each([
    ['{gatewayTopology: {numTrustedProxies: 2}}', { numTrustedProxies: 2 }],
    ['{"gatewayTopology": {"proxyProtocol": {}}}', { hasProxyProtocol: true }],
    ['gatewayTopology: {forwardClientCertDetails: SANITIZE}', { forwardedCertificate: 'SANITIZE' }],
    ['gatewayTopology: {forwardClientCertDetails: UNDEFINED}', {}],
    ['gatewayTopology: {}', {}],
  ])('of the annotation %s takes the place of that of the settings', (config, expected) => {
    const { topology, codes } = topologyOf(config, settingsWith('file'));
    expect(topology).toEqual({ ...noProxiesInFront, ...expected });
    expect(codes).toEqual([]);
  });

  test.each(['FORWARD_ONLY', 'ALWAYS_FORWARD_ONLY'] as const)('%s causes a warning, wherever it is set', (details) => {
    const codes = ['client-certificate-header-believed'];
    expect(topologyOf(`gatewayTopology: {forwardClientCertDetails: ${details}}`).codes).toEqual(codes);
    const settings = settingsWith('file', { ...noProxiesInFront, forwardedCertificate: details });
    expect(topologyOf(undefined, settings).codes).toEqual(codes);
  });

  test.each([
    'gatewayTopology: {numTrustedProxies: -1}',
    'gatewayTopology: {numTrustedProxies: "1"}',
    'gatewayTopology: {proxyProtocols: {}}',
    'gatewayTopology: [1]',
    'gatewayTopology: {forwardClientCertDetails: FORWARD}',
    'gatewayTopology: {',
    'concurrency: 2\n---\ngatewayTopology: {numTrustedProxies: 1}',
  ])('an annotation that cannot be used is an error: %s', (config) => {
    expect(topologyOf(config).codes).toEqual(['invalid-proxy-config']);
  });
});

test.each<[string, string | undefined, Settings, number]>([
  ['its own annotation', 'gatewayTopology: {numTrustedProxies: 1}', defaultSettings, 1],
  ['an annotation of other settings', 'concurrency: 2', defaultSettings, 0],
  ['a variable of its agent', undefined, settingsWith('variable'), 1],
  ['an annotation that its agent read', undefined, settingsWith('annotation'), 1],
  ['the mesh configuration, which speaks of gateways', undefined, settingsWith('file'), 0],
])('a sidecar is told of what stands in front by %s', (_, config, settings, count) => {
  const bag = new DiagnosticBag();
  warnOfTopologyAtSidecar(workload(config), settings, bag);
  expect(bag.all.map(({ code }) => code)).toEqual(Array.from({ length: count }, () => 'gateway-topology-at-sidecar'));
});

test.each<[string, boolean, string]>([
  ['a pod', false, 'metadata.annotations'],
  ['a template of pods', true, 'spec.template.metadata.annotations'],
])('what is wrong with the annotation of %s is shown where it stands', (_, isTemplate, place) => {
  const bag = new DiagnosticBag();
  const annotated = (config: string) => {
    const own = workload(config);
    return isTemplate ? { ...own, object: { ...own.object, kind: 'Deployment' } } : own;
  };
  gatewayTopologyOf(annotated('gatewayTopology: [1]'), defaultSettings, bag);
  warnOfTopologyAtSidecar(annotated('gatewayTopology: {numTrustedProxies: 1}'), defaultSettings, bag);
  const expected = `Pod/shop/edge#${place}.proxy.mesh.io/config`;
  expect(bag.all.map(({ span }) => span?.file)).toEqual([expected, expected]);
});
