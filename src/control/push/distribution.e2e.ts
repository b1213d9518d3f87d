import { mkdir, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { startDirectEnvoy } from '../testing/direct-envoy.ts';
import { ServingBench, textOf } from '../testing/serving-bench.ts';

const otherPod = httpbinPod('127.0.0.2').replaceAll('httpbin', 'other');

describe('meshd, serving a folder', () => {
  let bench: ServingBench;

  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinPod(), otherPod));
  });
  afterEach(() => bench.close());

  test('serves a workload its configuration, and each change of the folder', async () => {
    await bench.start();
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    await eventually(() => expect(stream.seen[0]?.resources?.map(({ name }) => name)).toContain('virtualInbound'));
    // PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING: which inputs a response is of.
    expect(stream.seen[0]?.nonce).toMatch(/^[0-9a-f]{12}-1$/);
    await bench.put('deny.yaml', denyPath('/secret'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'));
    // What differs, and nothing else.
    expect(stream.seen.at(-1)?.resources?.map(({ name }) => name)).toEqual(['virtualInbound']);
    expect(await bench.metric('meshd_xds_streams')).toBe('1');
    expect(await bench.metric('meshd_xds_pushes_count{type="Listener"}')).toBe('2');
    expect(stream.ends).toEqual([]);
  });

  test('keeps the last valid version of an invalid object, serves other changes, and logs the reason with file and line', async () => {
    await bench.start();
    await bench.put('deny.yaml', denyPath('/first'));
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/first'));
    await bench.put('deny.yaml', denyPath('/second').replace('DENY', 'DENI'));
    const refused = (): string => bench.logged('error');
    await eventually(() => expect(refused()).toMatch(/deny\.yaml:4:/));
    // The faulty version is held, and what else changes takes effect.
    await bench.put('more.yaml', denyPath('/beside', 'q'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toMatch(/beside.*first|first.*beside/));
    await bench.put('deny.yaml', denyPath('/third'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/third'));
    expect(stream.seen.map(textOf).filter((text) => !/first|third/.test(text))).toEqual([]);
    expect(Number(await bench.metric('meshd_refused_inputs_count'))).toBeGreaterThan(0);
  });

  test('sends a real Envoy its configuration over mutual TLS, and each change, and Envoy refuses nothing', async () => {
    const [adminPort = 0, outboundPort = 0, inboundPort = 0] = await freePorts(3);
    await writeFile(
      bench.path('mesh-config.yaml'),
      `proxyListenPort: ${outboundPort}\nproxyInboundListenPort: ${inboundPort}\n`,
    );
    const settings = { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } };
    await bench.start({ compile: { settings } });
    const client = await bench.identity('foo/httpbin');
    const envoy = await startDirectEnvoy({ bench, adminPort, client, workload: 'httpbin.foo' });
    try {
      const { dump, figure } = envoy;
      await eventually(async () => expect(await dump()).toContain('"virtualInbound"'));
      await bench.put('deny.yaml', denyPath('/secret'));
      await eventually(async () => expect(await dump()).toContain('/secret'));
      expect(await figure('listener_manager.lds.update_rejected')).toBe(0);
      expect(await figure('cluster_manager.cds.update_rejected')).toBe(0);
      expect(await bench.metric('meshd_xds_rejects_count.*')).toBeUndefined();
    } finally {
      await envoy.close();
    }
  });

  test('is ready once a configuration is compiled, and not before', async () => {
    await rm(bench.path('config'), { recursive: true });
    await bench.start();
    const ready = async (): Promise<string> => (await fetch(`${bench.control.monitoring}/healthz/ready`)).text();
    expect(await ready()).toBe('no configuration is compiled yet\n');
    await mkdir(bench.path('config'));
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await eventually(async () => expect(await ready()).toBe(''));
  });

  test('keeps serving while the compile thread lacks memory, and starts another one with the same last valid versions', async () => {
    await bench.start({ heapMiB: 40 });
    await bench.put('deny.yaml', denyPath('/first'));
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/first'));
    await bench.put('deny.yaml', denyPath('/second').replace('DENY', 'DENI'));
    const pods = Array.from({ length: 8_000 }, (_, i) =>
      httpbinPod(`10.9.${i >> 8}.${i & 255}`).replaceAll('httpbin', `p${i}`),
    );
    await bench.put('many.yaml', objects(...pods));
    await eventually(async () => expect(Number(await bench.metric('meshd_compile_restarts_count'))).toBeGreaterThan(0));
    const later = bench.open(await bench.identity('foo/httpbin'));
    later.subscribe('listeners');
    await eventually(() => expect(later.seen).toHaveLength(1));
    await bench.put('many.yaml', denyPath('/after', 'q'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toMatch(/after.*first|first.*after/));
    expect([stream.ends, later.ends]).toEqual([[], []]);
  });
});
