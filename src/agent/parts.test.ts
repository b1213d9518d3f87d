import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ConfigState } from '../envoy/admin.ts';
import { staticForm } from '../envoy/static-form.ts';
import { fileOf } from '../testing/resource-files.ts';
import type { AgentConfig } from './agent-config.ts';
import { listenForSignals } from './life/signals.ts';
import { AgentLife, type AgentState } from './life/state.ts';
import { agentExitCode, envoyArguments } from './life/supervisor.ts';
import { expectedVersions, missingVersions } from './reload/in-force.ts';
import { adminAddressOf, partsOf, usesMeshSecrets } from './reload/proxy-files.ts';
import { sampleFiles } from './testing/sample-proxy.ts';

const sample = { configPath: 'proxy', adminPort: 15000, httpPort: 80, body: 'one' };

describe('staticForm', () => {
  test('inlines listeners and clusters, and puts each route configuration in the place of its rds', () => {
    const files = sampleFiles({ ...sample, upstream: { name: 'up', port: 1 } });
    const form = staticForm(partsOf(files)) as Record<string, { clusters: { name: string }[]; listeners: object[] }>;
    expect(form.dynamic_resources).toBeUndefined();
    expect(form.static_resources?.clusters.map(({ name }) => name)).toEqual(['sds-grpc', 'up']);
    const listeners = JSON.stringify(form.static_resources?.listeners);
    expect(listeners).toContain('"route_config":{"name":"app:80"');
    expect(listeners).not.toContain('"rds"');
    expect(form.static_resources?.listeners[0]).not.toHaveProperty('@type');
  });
});

describe('missingVersions', () => {
  const files = sampleFiles(sample);
  const expected = expectedVersions(files);
  const good = new Map([
    ['cluster_manager.cds.version_text', expected.clusters],
    ['listener_manager.lds.version_text', expected.listeners],
    ['http.inbound_app.rds.app_80.version_text', expected.routes.get('app:80') ?? ''],
  ]);
  const state = (changes: Record<string, string> = {}, warming = 0): ConfigState => ({
    versions: new Map([...good, ...Object.entries(changes)]),
    warmingListeners: warming,
    warmingClusters: 0,
  });

  test('is empty when every version shows and nothing warms', () => {
    expect(missingVersions(expected, state())).toEqual([]);
  });

  test.each<[string, ConfigState, RegExp]>([
    ['an older cluster version', state({ 'cluster_manager.cds.version_text': 'old' }), /^clusters: version old/],
    ['no listener version', state({ 'listener_manager.lds.version_text': '' }), /^listeners: version none/],
    ['an older route', state({ 'http.inbound_app.rds.app_80.version_text': 'old' }), /^route app:80: version old/],
    ['an older route behind another prefix', state({ 'http.b.rds.app_80.version_text': 'old' }), /^route app:80/],
    ['a listener that warms', state({}, 1), /1 listeners or clusters are warming/],
  ])('names %s', (_name, observed, text) => {
    const missing = missingVersions(expected, observed);
    expect(missing).toHaveLength(1);
    expect(missing[0]).toMatch(text);
  });

  test('waits for no route that no listener asks for', () => {
    const unused = new Map([...files.routes, ['other.json', fileOf({ name: 'other' })]]);
    expect([...expectedVersions({ ...files, routes: unused }).routes.keys()]).toEqual(['app:80']);
  });
});

describe('envoyArguments', () => {
  const config: AgentConfig = {
    configPath: 'proxy',
    envoyBinary: 'envoy',
    role: 'sidecar',
    statusPort: 15020,
    drainDurationMs: 45_000,
    terminationDrainMs: 5_000,
    terminationDrain: 'plain',
    concurrency: undefined,
    proxyLogLevel: 'warning',
    proxyComponentLogLevel: 'misc:error',
    identityFolder: undefined,
    mustValidateFirst: false,
  };
  const line = (changes: Partial<AgentConfig> = {}, host = '127.0.0.1'): string =>
    envoyArguments({ ...config, ...changes }, 'proxy/bootstrap.json', { host, port: 15000 }).join(' ');

  test('starts Envoy with the compiled bootstrap, without hot restart', () => {
    expect(line()).toBe(
      '-c proxy/bootstrap.json --drain-time-s 45 --drain-strategy immediate --local-address-ip-version v4 ' +
        '--file-flush-interval-msec 1000 --disable-hot-restart -l warning --component-log-level misc:error',
    );
  });

  test('raises the drain time to the wait at the end', () => {
    expect(line({ drainDurationMs: 1_000, terminationDrainMs: 7_500 })).toContain('--drain-time-s 8 ');
  });

  test('passes concurrency only when it is given, and empty log levels never', () => {
    expect(line({ concurrency: 2, proxyLogLevel: '', proxyComponentLogLevel: '' })).toMatch(
      /--disable-hot-restart --concurrency 2$/,
    );
  });

  test('takes the IP version from the admin address', () => {
    expect(line({}, '::1')).toContain('--local-address-ip-version v6');
  });
});

describe('agentExitCode', () => {
  test.each([
    [{ code: 3, signal: null }, 3],
    [{ code: null, signal: 'SIGKILL' }, 137],
    [{ code: null, signal: 'SIGSEGV' }, 139],
    [{ code: 0, signal: null }, 1],
  ] as const)('gives for %j the code %i', (status, code) => {
    expect(agentExitCode(status)).toBe(code);
  });
});

describe('listenForSignals', () => {
  test('counts signals of either name: stop, hurry, kill; a hang-up is none', () => {
    const source = new EventEmitter();
    const signals = listenForSignals(source);
    const fired = (): boolean[] => [signals.stop, signals.hurry, signals.kill].map(({ aborted }) => aborted);
    source.emit('SIGHUP', 'SIGHUP');
    expect(fired()).toEqual([false, false, false]);
    source.emit('SIGTERM', 'SIGTERM');
    expect(fired()).toEqual([true, false, false]);
    expect(signals.stop.reason).toBe('SIGTERM');
    source.emit('SIGINT', 'SIGINT');
    source.emit('SIGINT', 'SIGINT');
    source.emit('SIGINT', 'SIGINT');
    expect(fired()).toEqual([true, true, true]);
    signals.release();
    expect(source.eventNames()).toEqual([]);
  });
});

describe('AgentLife', () => {
  test('moves along its table and nowhere else', () => {
    const seen: AgentState[] = [];
    const life = new AgentLife((state) => seen.push(state));
    for (const state of ['configuring', 'starting', 'running', 'draining', 'stopping', 'exited'] as const) {
      life.moveTo(state);
    }
    expect(seen.at(-1)).toBe('exited');
    expect(() => life.moveTo('running')).toThrow(/cannot go from exited to running/);
    expect(() => new AgentLife(() => undefined).moveTo('draining')).toThrow();
  });
});

describe('adminAddressOf', () => {
  const bootstrap = (admin: object) => ({ bootstrap: { admin } });

  test.each([
    [{ address: { socket_address: { address: '127.0.0.1', port_value: 1 } } }, { host: '127.0.0.1', port: 1 }],
    [{ address: { socket_address: { address: '0.0.0.0', port_value: 1 } } }, { host: '127.0.0.1', port: 1 }],
    [{ address: { socket_address: { address: '::', port_value: 1 } } }, { host: '::1', port: 1 }],
    [{ address: { pipe: { path: 'proxy/admin' } } }, { socketPath: 'proxy/admin' }],
  ])('reads %j', (admin, address) => {
    expect(adminAddressOf(bootstrap(admin))).toEqual(address);
  });

  test('refuses a bootstrap without an admin interface', () => {
    expect(() => adminAddressOf(bootstrap({}))).toThrow(/has no admin interface/);
  });

  test.each([{}, { port_value: 0 }])('refuses a port of an admin interface that only the kernel knows: %j', (port) => {
    const address = { socket_address: { address: '127.0.0.1', ...port } };
    expect(() => adminAddressOf(bootstrap({ address }))).toThrow(/at port 0/);
  });
});

describe('usesMeshSecrets', () => {
  test('sees secrets of listeners', () => {
    expect(usesMeshSecrets(sampleFiles(sample))).toBe(false);
    expect(usesMeshSecrets(sampleFiles({ ...sample, tlsPort: 1 }))).toBe(true);
  });
});
