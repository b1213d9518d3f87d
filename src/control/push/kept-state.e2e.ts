import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';

describe('meshd, when its inputs are faulty', () => {
  let bench: ServingBench;
  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
  });
  afterEach(() => bench.close());

  const listeners = async (): Promise<RawStream> => {
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    return stream;
  };
  const shows = (stream: RawStream, expected: string | RegExp): Promise<void> =>
    eventually(() => expect(textOf(stream.seen.at(-1))).toMatch(expected));
  const faulty = denyPath('/second').replace('DENY', 'DENI');

  test('continues after a restart with the last valid versions from before', async () => {
    const compile = { stateFolder: bench.path('state') };
    await bench.put('deny.yaml', denyPath('/first'));
    await bench.start({ compile });
    await shows(await listeners(), '/first');
    await bench.control.stop();
    await bench.put('deny.yaml', faulty);
    await bench.start({ compile });
    const again = await listeners();
    await shows(again, '/first');
    expect(bench.logged('error')).toMatch(/deny\.yaml:4:/);
    await bench.control.stop();
    // Another one knows nothing of them: what may be meant to be denied is not let through.
    await bench.start({ compile: { stateFolder: bench.path('other') } });
    await shows(await listeners(), 'virtualInbound-denied');
  });

  test('applies a changed mesh configuration without a restart, and keeps the last valid one while it is invalid', async () => {
    const path = bench.path('mesh-config.yaml');
    const write = (text: string): Promise<void> => writeFile(path, text);
    await write('proxyInboundListenPort: 15106\n');
    const settings = { environment: {}, meshConfig: { path, isRequired: true } };
    await bench.start({ compile: { settings } });
    const stream = await listeners();
    await shows(stream, '"port_value":15106');
    await write('proxyInboundListenPort: 15206\n');
    await shows(stream, '"port_value":15206');
    await write('proxyInboundListenPort: many\n');
    await eventually(() => expect(bench.logged('error')).toMatch(/mesh-config\.yaml:1:/));
    await write('trustDomain: other.test\nproxyInboundListenPort: 15306\n');
    await eventually(() => expect(bench.logged('error')).toMatch(/mesh-config\.yaml:1.*"other.test".*"cluster.local"/));
    // What else changes takes effect.
    await bench.put('deny.yaml', denyPath('/beside'));
    await shows(stream, '/beside');
    expect(textOf(stream.seen.at(-1))).toContain('"port_value":15206');
    expect(Number(await bench.metric('meshd_refused_inputs_count'))).toBe(2);
  });
});
