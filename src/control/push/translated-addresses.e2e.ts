import { describe, expect, test } from 'vitest';
import { httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { ServingBench } from '../testing/serving-bench.ts';

describe('meshd behind a translation of addresses', () => {
  test("accepts the workload's account from any address, and no other account", async () => {
    const bench = await ServingBench.create();
    try {
      await bench.put(
        'mesh.yaml',
        objects(namespace, httpbinPod('127.0.0.2').replaceAll('name: httpbin,', 'name: far,')),
      );
      await bench.start({ takesAnyAddress: true });
      for (const [account, end] of [
        ['foo/httpbin', []],
        ['foo/other', ['PERMISSION_DENIED']],
      ] as const) {
        const stream = bench.open(await bench.identity(account));
        stream.subscribe('listeners', 'sidecar~127.0.0.2~far.foo~foo.svc.cluster.local');
        await expect.poll(() => [stream.seen.length, stream.ends], { timeout: 10_000 }).toEqual([1 - end.length, end]);
      }
    } finally {
      await bench.close();
    }
  });
});
