import { afterEach, beforeEach, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { eventually } from '../../testing/eventually.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { type Seen, ServingBench, textOf } from '../testing/serving-bench.ts';

let bench: ServingBench;
beforeEach(async () => {
  bench = await ServingBench.create();
  await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
});
afterEach(() => bench.close());

test('a client whose connections reach their age reconnects each time, and gets each change once', async () => {
  await bench.start({ connections: { ageMs: 400, drainMs: 300 } });
  const identity = await bench.identity('foo/httpbin');
  const versions: Record<string, string> = {};
  const got: Seen[] = [];
  const ends: string[] = [];
  let isOver = false;
  const connect = (): void => {
    const { call, ask, seen } = bench.open(identity);
    call.on('data', () => {
      const response = seen.at(-1);
      for (const { name, version } of response?.resources ?? []) versions[name] = version;
      if (response?.resources?.length) got.push(response);
    });
    call.on('error', ({ message }) => {
      ends.push(message);
      if (!isOver) connect();
    });
    const node = { id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local' };
    ask({ node, type_url: configurationTypes.listeners.typeUrl, initial_resource_versions: versions });
  };
  connect();
  const comesBack = (times: number): Promise<void> =>
    eventually(() => expect(ends.length).toBeGreaterThanOrEqual(times));
  await comesBack(2);
  expect(got).toHaveLength(1);
  await bench.put('deny.yaml', denyPath('/secret'));
  await eventually(() => expect(textOf(got.at(-1))).toContain('/secret'));
  await comesBack(ends.length + 2);
  isOver = true;
  expect(got.map(({ resources }) => resources?.map(({ name }) => name))).toEqual([
    expect.arrayContaining(['virtualInbound', 'virtualOutbound']),
    ['virtualInbound'],
  ]);
  expect(new Set(ends)).toEqual(new Set(['14 UNAVAILABLE: Connection dropped']));
});
