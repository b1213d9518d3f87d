import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { SettingOrigin, Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import * as make from '../../testing/objects.ts';
import { meshWorkload } from '../../testing/topology.ts';
import type { EffectiveProxyConfigs } from '../merge/effective.ts';
import type { Workload } from '../topology/model.ts';
import { proxyStart as startOf } from './proxy-start.ts';

const workload = (config?: string): Workload =>
  meshWorkload('shop/web', [], { annotations: config === undefined ? {} : { 'proxy.mesh.io/config': config } });

const proxyStart = (
  of: Workload,
  configs: EffectiveProxyConfigs,
  under: Settings,
  bag: DiagnosticBag = new DiagnosticBag(),
) => startOf(of, configs, under, bag);

function settings(source: SettingOrigin['source'], concurrency: number, variables: Record<string, string>): Settings {
  const names = ['concurrency', ...Object.keys(variables).map((key) => `proxyMetadata.${key}`)];
  const origins = Object.fromEntries(names.map((name) => [`proxy.${name}`, { source, detail: '' }]));
  return { ...defaultSettings, proxy: { ...defaultSettings.proxy, concurrency, proxyMetadata: variables }, origins };
}

const said = (level: string, concurrency: number) =>
  make.proxyConfig('shop/a', { concurrency, environmentVariables: { A: level, [level]: level } });
const mesh = said('mesh', 1);
const namespace = said('namespace', 2);
const own = said('workload', 0);
const none: EffectiveProxyConfigs = { mesh: undefined, namespace: undefined, workload: undefined };
const annotation = 'concurrency: 5\nproxyMetadata: {A: annotation}';

describe('proxyStart', () => {
  test.each<[string, Partial<EffectiveProxyConfigs>, string | undefined, number | undefined, string]>([
    ['nothing but the mesh configuration', {}, undefined, undefined, 'file'],
    ['the mesh', { mesh }, undefined, 1, 'mesh'],
    ['the namespace', { mesh, namespace }, undefined, 2, 'namespace'],
    ['the annotation of the pod', { mesh, namespace }, annotation, 5, 'annotation'],
    ['the workload, and 0 is said too', { mesh, namespace, workload: own }, annotation, 0, 'workload'],
  ])('is what %s says', (_, configs, config, concurrency, variable) => {
    const found = proxyStart(workload(config), { ...none, ...configs }, settings('file', 9, { A: 'file', B: 'file' }));
    expect([found.concurrency, found.variables.A, found.variables.B]).toEqual([concurrency, variable, 'file']);
  });

  test.each<[SettingOrigin['source'], number | undefined, string]>([
    ['variable', undefined, 'machine'],
    ['annotation', undefined, 'machine'],
    ['file', 2, 'namespace'],
    ['default', 2, 'namespace'],
  ])('a setting from %s stands above or below the namespace', (source, concurrency, variable) => {
    const found = proxyStart(workload(), { ...none, namespace }, settings(source, 9, { A: 'machine' }));
    expect([found.concurrency, found.variables.A]).toEqual([concurrency, variable]);
  });

  test('a flag is above the workload, and a variable below it', () => {
    const found = (source: SettingOrigin['source']) =>
      proxyStart(workload(), { ...none, workload: own }, settings(source, 9, {})).concurrency;
    expect([found('flag'), found('variable')]).toEqual([undefined, 0]);
  });

  test('adds the variables of all levels', () => {
    const { variables } = proxyStart(workload(), { mesh, namespace, workload: own }, defaultSettings);
    expect(Object.keys(variables).sort()).toEqual(['A', 'mesh', 'namespace', 'workload']);
  });

  test('takes the image of the innermost level that names one', () => {
    const image = (imageType?: string) => make.proxyConfig('shop/a', imageType ? { image: { imageType } } : {});
    const found = proxyStart(
      workload(),
      { mesh: image('a'), namespace: image('b'), workload: image() },
      defaultSettings,
    );
    expect(found.imageType).toBe('b');
  });

  test.each<[string, number, readonly string[]]>([
    ['concurrency: many', 1, ['invalid-proxy-config']],
    ['proxyMetadata: [A]', 1, ['invalid-proxy-config']],
    ['gatewayTopology: {numTrustedProxies: many}', 1, ['invalid-proxy-config']],
    ['[', 1, ['invalid-proxy-config']],
    ['concurrency: 2\n---\nconcurrency: 3', 1, ['invalid-proxy-config']],
    ['', 1, []],
    ['statusPort: 1', 1, []],
    ['concurrency: 2\nproxyMetadata: {ISTIO_META_A: b}', 2, ['settings-without-effect']],
  ])('the annotation %j gives a concurrency of %j, and says %j', (text, concurrency, codes) => {
    const bag = new DiagnosticBag();
    const found = proxyStart(workload(text), { ...none, mesh }, defaultSettings, bag).concurrency;
    expect([found, bag.all.map(({ code }) => code)]).toEqual([concurrency, codes]);
  });

  test('does not report an invalid annotation of a gateway, because its listeners do', () => {
    const told = (text: string): readonly string[] => {
      const bag = new DiagnosticBag();
      proxyStart({ ...workload(text), role: 'router' }, none, defaultSettings, bag);
      return bag.all.map(({ message }) => message);
    };
    expect([told('['), told('gatewayTopology: 1')]).toEqual([[], []]);
    expect(told('concurrency: many')).toHaveLength(1);
  });
});
