import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MeshGauge } from '../../diagnostics/mesh-gauges.ts';
import { RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import type { MeshFigures } from './mesh-figures.ts';
import { Meters } from './meters.ts';
import { metricTable } from './metric-table.ts';
import { AgentMetrics } from './metrics.ts';
import { reloadMetrics } from './run-metrics.ts';

/** Series to value, without comments. */
async function read(metrics: { text(): Promise<string> }): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const gaugeNames = metricTable.flatMap(({ name }) => (/^(pilot_(?!total|jwks)|endpoint)/.test(name) ? [name] : []));
const figures = (value: number, rejected: MeshFigures['rejected'] = []): MeshFigures => ({
  gauges: Object.fromEntries(gaugeNames.map((name) => [name, value])) as Record<MeshGauge, number>,
  rejected,
});

describe('metricTable', () => {
  const { metrics: specified } = JSON.parse(readFileSync('fixtures/specification.json', 'utf8')) as {
    readonly metrics: readonly { readonly name: string; readonly type: 'Sum' | 'LastValue' }[];
  };
  const ofControlPlane = /^sidecar_injection_/;
  /** Sums by the specification that go down again. */
  const goesDown = ['total_active_connections', 'total_stale_connections'];

  test.each(specified.filter(({ name }) => !ofControlPlane.test(name)))(
    'has $name of the specification, a $type',
    (metric) => {
      const isGauge = metric.type === 'LastValue' || goesDown.includes(metric.name);
      expect(metricTable.find(({ name }) => name === metric.name)?.type).toBe(isGauge ? 'gauge' : 'counter');
    },
  );

  test('has the specification\'s names and names that begin with "mesh_agent_", each once', () => {
    const names: readonly string[] = metricTable.map(({ name }) => name);
    const known = new Set(specified.map(({ name }) => name));
    expect(names.filter((name) => !known.has(name) && !name.startsWith('mesh_agent_'))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('AgentMetrics', () => {
  test('shows what has no labels, and labels of known values, from the start', async () => {
    const seen = await read(new AgentMetrics('1.2.3'));
    const missing = metricTable.filter(
      ({ name }) => !Object.keys(seen).some((key) => key.replace(/\{.*/, '') === name),
    );
    expect(missing.map(({ name }) => name)).toEqual([
      'pilot_total_rejected_configs',
      'mesh_agent_certificate_expiry_timestamp_seconds',
      'mesh_agent_state',
    ]);
    expect(seen['mesh_build{component="agent",tag="1.2.3"}']).toBe(1);
    expect(seen.total_pushes).toBe(0);
    expect(seen['num_outgoing_requests{request_type="csr"}']).toBe(0);
  });

  test.each<[string, (metrics: AgentMetrics) => void, number]>([
    ['pilot_jwks_resolver_network_fetch_success_total', (it) => it.countKeySetFetch(true), 1],
    ['pilot_jwks_resolver_network_fetch_fail_total', (it) => it.countKeySetFetch(false), 1],
    ['num_outgoing_requests{request_type="csr"}', (it) => it.outgoing.requested('csr'), 1],
    ['num_outgoing_retries{request_type="token_exchange"}', (it) => it.outgoing.retried('token_exchange'), 1],
    ['num_failed_outgoing_requests{request_type="csr"}', (it) => it.outgoing.failed('csr'), 1],
    ['outgoing_latency{request_type="csr"}', (it) => it.outgoing.finished('csr', 12), 12],
    ['outgoing_latency{request_type="csr"}', (it) => it.outgoing.finished('csr', -1), 0],
    [
      'mesh_agent_certificate_expiry_timestamp_seconds{resource_name="default"}',
      (it) => it.certificates.inForce('default', 1_700_000_000_000),
      1_700_000_000,
    ],
    ['total_stale_connections', (it) => it.discovery.wentStale?.(), 1],
    [
      'total_stale_connections',
      (it) => {
        it.discovery.wentStale?.();
        it.discovery.noLongerStale?.();
      },
      0,
    ],
    ['mesh_agent_changes_total', (it) => it.reload.debounced(3), 3],
    ['mesh_agent_compilations_total', (it) => it.reload.started(), 1],
    ['mesh_agent_reloads_total', (it) => it.reload.inForce(250), 1],
    ['mesh_agent_reload_seconds_total', (it) => it.reload.inForce(250), 0.25],
    ['mesh_agent_reload_failures_total{reason="world"}', (it) => it.reload.refused('world', []), 1],
    ['mesh_agent_objects_held', (it) => it.reload.held([{ kind: 'Gateway', namespace: 'a', name: 'b' }]), 1],
    ['mesh_agent_envoy_restarts_total', (it) => it.life.envoyRestarted(139), 1],
    ['mesh_agent_drain_seconds', (it) => it.life.drained(5_010), 5.01],
    ['mesh_agent_state{state="running"}', (it) => it.life.moved('running'), 1],
    ['mesh_agent_dns_requests_total', (it) => it.dns.requested(), 1],
    ['mesh_agent_dns_failures_total', (it) => it.dns.failed(), 1],
    ['mesh_agent_dns_upstream_requests_total{upstream="tls"}', (it) => it.dns.asked('tls'), 1],
    ['mesh_agent_dns_upstream_failures_total{upstream="plain"}', (it) => it.dns.missed('plain'), 1],
    ['mesh_agent_dns_upstream_seconds_total{upstream="plain"}', (it) => it.dns.answered('plain', 250), 0.25],
    ['mesh_agent_dns_tls_pending', (it) => it.dns.pending(3), 3],
    ['mesh_agent_log_lines_lost_total', (it) => it.count('mesh_agent_log_lines_lost_total'), 1],
    ['mesh_agent_scrapes_total', (it) => it.count('mesh_agent_scrapes_total'), 1],
  ])('moves %s', async (series, event, expected) => {
    const metrics = new AgentMetrics();
    expect((await read(metrics))[series] ?? 0).toBe(0);
    event(metrics);
    expect((await read(metrics))[series]).toBe(expected);
  });

  test.each(gaugeNames)('shows %s of the newest compilation', async (name) => {
    const metrics = new AgentMetrics();
    for (const value of [7, 2]) {
      metrics.showFigures(figures(value));
      expect((await read(metrics))[name]).toBe(value);
    }
  });

  test('counts a rejected object when it begins to be rejected, whether the compiler left it out, or a change was refused or held', async () => {
    const metrics = new AgentMetrics();
    const gateway = { kind: 'Gateway', namespace: 'shop', name: 'edge' };
    metrics.showFigures(figures(0, [gateway]));
    metrics.showFigures(figures(0, [gateway]));
    const series = 'pilot_total_rejected_configs{type="gateway",name="shop/edge"}';
    expect((await read(metrics))[series]).toBe(1);
    metrics.showFigures(figures(0));
    metrics.showFigures(figures(0, [gateway]));
    expect((await read(metrics))[series]).toBe(2);
    metrics.reload.refused('invalid', [gateway]);
    metrics.reload.held([gateway]);
    expect((await read(metrics))[series]).toBe(3);
    metrics.reload.held([{ kind: 'Namespace', namespace: '', name: 'shop' }]);
    expect((await read(metrics))['pilot_total_rejected_configs{type="namespace",name="shop"}']).toBe(1);
  });

  test('is in one state at a time', async () => {
    const metrics = new AgentMetrics();
    metrics.life.moved('starting');
    metrics.life.moved('running');
    expect(Object.keys(await read(metrics)).filter((series) => series.startsWith('mesh_agent_state'))).toEqual([
      'mesh_agent_state{state="running"}',
    ]);
  });

  test('has the time at which a change last became active', async () => {
    const meters = new Meters();
    reloadMetrics(meters, new RejectedObjects(() => undefined), () => 1_700_000_000_500).inForce(1);
    expect((await read(meters)).mesh_agent_config_last_success_timestamp_seconds).toBe(1_700_000_000.5);
  });

  test('reads its own process at each scrape', async () => {
    const metrics = new AgentMetrics();
    const before = await read(metrics);
    for (const end = performance.now() + 30; performance.now() < end; );
    const after = await read(metrics);
    expect(after.mesh_agent_process_cpu_seconds_total).toBeGreaterThan(before.mesh_agent_process_cpu_seconds_total!);
    expect(after.mesh_agent_event_loop_utilization).toBeGreaterThan(0);
    expect(after.mesh_agent_process_resident_memory_bytes).toBeGreaterThan(1e6);
    expect(after.mesh_agent_process_heap_bytes).toBeGreaterThan(1e6);
    expect(after.mesh_agent_process_heap_bytes).toBeLessThan(after.mesh_agent_process_resident_memory_bytes!);
    expect(after.mesh_agent_event_loop_lag_seconds).toBeLessThan(10);
    expect(Math.abs(after.mesh_agent_process_start_time_seconds! - Date.now() / 1000)).toBeLessThan(86_400);
  });
});
