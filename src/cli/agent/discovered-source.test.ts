import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { discoveryAddressOf } from './discovery.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Names below `src/` of all modules that a program has loaded once it has imported these. */
function loadedBy(...modules: readonly string[]): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    for (const module of ${JSON.stringify(modules.map((name) => join(root, 'src', name)))}) await import(module);
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (status !== 0) throw new Error(stderr);
  const place = `file://${root}/src/`;
  return stdout.split('\n').flatMap((line) => (line.startsWith(place) ? [line.slice(place.length)] : []));
}

/** The stages that only a compilation has, and what brings them in. */
const compiler =
  /^(compiler\/(compile|analyse|render-snapshot|collect|merge\/merge|lower\/lower|verify\/|topology\/resolve)|live\/(compile-|aside\/|locate-workload))/;

describe('the source of configuration', () => {
  test('loads nothing of the compiler where a control plane gives it', () => {
    const loaded = loadedBy(
      'cli/agent/proxy.ts',
      'cli/agent/discovered-source.ts',
      'agent/discovery/discovery-client.ts',
    );
    expect(loaded).toContain('agent/discovery/upstream.ts');
    expect(loaded.filter((name) => compiler.test(name))).toEqual([]);
    expect(loadedBy('cli/agent/compiled-source.ts').filter((name) => compiler.test(name))).toContain(
      'compiler/compile.ts',
    );
  });
});

describe('discoveryAddressOf', () => {
  const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };
  const set = {
    ...defaultSettings,
    proxy: { ...defaultSettings.proxy, discoveryAddress: 'meshd.example:15012' },
    origins: { 'proxy.discoveryAddress': { source: 'file' as const, detail: 'mesh.yaml:1' } },
  };

  test('is what somebody set, where nothing names policies', () => {
    expect(discoveryAddressOf([], set, {})).toBe('meshd.example:15012');
  });

  test('is nothing where policies are named, by a flag or by configSources', () => {
    expect(discoveryAddressOf(['mesh'], set, pod)).toBeUndefined();
    expect(discoveryAddressOf([], { ...set, configSources: ['fs:///mesh'] }, pod)).toBeUndefined();
  });

  test('is the default in a pod of Kubernetes, and nothing elsewhere', () => {
    expect(discoveryAddressOf([], defaultSettings, {})).toBeUndefined();
    expect(discoveryAddressOf([], defaultSettings, { KUBERNETES_SERVICE_HOST: '' })).toBeUndefined();
    expect(discoveryAddressOf([], defaultSettings, pod)).toBe('meshd.mesh-system.svc:15012');
    const none = { ...defaultSettings, proxy: { ...defaultSettings.proxy, discoveryAddress: '' } };
    expect(discoveryAddressOf([], none, pod)).toBeUndefined();
  });
});
