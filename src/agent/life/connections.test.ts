import { describe, expect, test } from 'vitest';
import type { AdminClient } from '../../envoy/admin.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { listenerStatNames, readOpenConnections } from './connections.ts';

const at = (address: string, port: number): object => ({ socket_address: { address, port_value: port } });

function adminWith(body: string, status = 200): AdminClient {
  const answer = (): Promise<{ status: number; body: string }> => Promise.resolve({ status, body });
  return { get: answer, post: answer };
}

describe('listenerStatNames', () => {
  test('writes addresses as the statistics do, and takes a prefix where there is one', () => {
    const resources = [
      { name: 'virtualInbound', address: at('0.0.0.0', 15006) },
      { name: 'virtualInbound6', address: at('::', 15006) },
      { name: 'named', stat_prefix: 'mine', address: at('10.0.0.1', 80) },
      { name: 'pipe', address: { pipe: { path: '/a' } } },
    ];
    expect([...listenerStatNames(fileOf(...resources))]).toEqual(['0.0.0.0_15006', '[__]_15006', 'mine']);
  });
});

describe('readOpenConnections', () => {
  const names = new Set(['0.0.0.0_15006', '[__]_15006']);
  const statistics = `listener.0.0.0.0_15006.downstream_cx_active: 2
listener.0.0.0.0_15006.worker_0.downstream_cx_active: 2
listener.0.0.0.0_15021.downstream_cx_active: 1
listener.[__]_15006.downstream_cx_active: 3
listener.admin.downstream_cx_active: 1
listener.admin.main_thread.downstream_cx_active: 1
`;

  test('counts the listeners of the workload, each connection once', async () => {
    expect(await readOpenConnections(adminWith(statistics), names)).toBe(5);
  });

  test.each([
    ['none of the listeners shows', adminWith('listener.admin.downstream_cx_active: 0\n')],
    ['Envoy does not answer with statistics', adminWith('draining', 503)],
  ])('does not know when %s', async (_name, admin) => {
    expect(await readOpenConnections(admin, names)).toBeUndefined();
  });
});
