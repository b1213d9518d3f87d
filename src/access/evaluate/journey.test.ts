import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { outcomeCells, outcomeRows } from '../../../e2e/mesh/outcome-table.ts';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { findService } from '../world.ts';
import { travel } from './travel.ts';

const example = new URL('../../../examples/first-mesh/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, example), 'utf8');
const tokens = { now: 0 };

function workload(name: string) {
  const [namespace = '', rest = ''] = name.split('/');
  return { namespace, name: rest };
}

describe('travel', () => {
  const cells = outcomeRows.flatMap((row) => outcomeCells(row).map((cell) => ({ ...cell, row })));

  test.each(cells)('predicts $from to $server under "$row.title" as specified: $status', (cell) => {
    const { from, server, row, status, exitCode, isMutualTls } = cell;
    const world = compiledWorld([
      read('topology.yaml'),
      ...(row.file === undefined ? [] : [read(`policies/${row.file}`)]),
    ]);
    const client = workload(from);
    const { namespace, name } = workload(server);
    const service = findService(world, `${name}.${namespace}`, client.namespace);
    const port = service?.ports[0]?.number ?? 0;
    expect(service?.addresses.length).toBeGreaterThan(0);
    for (const address of service?.addresses ?? []) {
      const request = { method: 'GET', path: '/headers', authority: `${name}.${namespace}`, headers: [] };
      // Without a sidecar the node translates the service's address to an endpoint's.
      const [endpoint] = service?.endpoints ?? [];
      const hasSidecar = world.proxies.has(from);
      const to = hasSidecar ? { address, port } : { address: endpoint?.address ?? '', port: endpoint?.port ?? 0 };
      const ways = travel(world, { from: { kind: 'workload', ...client }, to, protocol: 'http/1.1', request }, tokens);
      const kinds = new Set(ways.map(({ outcome }) => outcome.kind));
      expect([...kinds]).toEqual([status === '200' ? 'reaches' : 'closed']);
      for (const { outcome, legs, target } of ways) {
        expect(target?.namespace).toBe(namespace);
        if (outcome.kind === 'closed') expect(outcome.exitCodes).toContain(exitCode);
        const chain = legs.at(-1)?.steps.find(({ station }) => station === 'chain')?.decider ?? '';
        expect(chain.includes('mtls')).toBe(isMutualTls);
      }
    }
  });

  test('comes to an address from one of the same family, as the kernel chooses', () => {
    const world = compiledWorld([read('topology.yaml'), read('policies/mesh-strict.yaml')]);
    const [from, to] = [workload('foo/curl'), findService(world, 'httpbin.bar', 'foo')];
    const request = { method: 'GET', path: '/', authority: 'httpbin.bar', headers: [] };
    const address = { address: to?.addresses[0] ?? '', port: 8000 };
    const access = { from: { kind: 'workload', ...from }, to: address, protocol: 'http/1.1', request } as const;
    const ends = travel(world, access, tokens).map(({ legs }) => legs.at(-1)?.passing?.connection);
    expect(ends.map((end) => [end?.source, end?.destination.address])).toEqual([
      ['10.77.1.2', '10.77.2.1'],
      ['fd77::1:2', 'fd77::2:1'],
    ]);
  });
});
