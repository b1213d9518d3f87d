import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadedGateway, loadedSidecar } from '../load/loaded-config.ts';
import { type LoadedProxy, startLoadedProxy } from '../load/loaded-proxy.ts';

const mib = 2 ** 20;

describe('a gateway of two workers in 1 GiB', () => {
  let gateway: LoadedProxy;
  beforeAll(async () => {
    gateway = await startLoadedProxy(loadedGateway, { memoryLimitBytes: 1024 * mib });
  });
  afterAll(() => gateway?.close());

  test.each([
    { connections: 250, streams: 100 },
    { connections: 300, streams: 1000 },
  ])(
    'answers others within a second, in bounded memory, while $connections connections offer $streams streams each',
    async (load) => {
      const { statuses, times, residentBytes } = await gateway.under(load, 4000);
      expect(statuses).toEqual([200]);
      expect(times[Math.ceil(times.length * 0.99) - 1]).toBeLessThan(1000);
      expect(residentBytes).toBeLessThan(700 * mib);
    },
    30_000,
  );
});

describe('a sidecar in 128 MiB that may have 4,000 files open', () => {
  let sidecar: LoadedProxy;
  beforeAll(async () => {
    sidecar = await startLoadedProxy(loadedSidecar, { memoryLimitBytes: 128 * mib, descriptorLimit: 4000 }, 2);
  });
  afterAll(() => sidecar?.close());

  test('serves its other port while open streams take every connection to the first, which answers again after them', async () => {
    const { statuses } = await sidecar.under({ connections: 40, streams: 100 }, 2000);
    expect(statuses).toEqual([200]);
    await expect.poll(() => sidecar.ask(0), { timeout: 5_000 }).toBe(200);
  });
});
