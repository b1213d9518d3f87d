import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoadedGateway, startLoadedGateway } from './load/loaded-gateway.ts';

describe('a gateway of two workers in 1 GiB', () => {
  let gateway: LoadedGateway;
  beforeAll(async () => {
    gateway = await startLoadedGateway();
  }, 30_000);
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
      expect(residentBytes).toBeLessThan(700 * 2 ** 20);
    },
    30_000,
  );
});
