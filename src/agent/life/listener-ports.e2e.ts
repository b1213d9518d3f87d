import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fileOf } from '../../testing/resource-files.ts';
import { startingAgents } from '../testing/life-probe.ts';
import { boundAddresses, checkListenerPorts } from './listener-ports.ts';
import { listeningPorts } from './process-table.ts';

const start = startingAgents();

describe('an agent beside another one in a network namespace', () => {
  test.each([
    ['a listener', (port: number) => ({ httpPort: port }), 'inbound'],
    ['a listener of the bootstrap', (port: number) => ({ staticPort: port }), 'static'],
  ])('starts no Envoy that would share the port of %s, and says with whom', async (_, sampleWith, name) => {
    const first = await start();
    await first.untilReady();
    const port = first.sample.httpPort;
    const second = await start({ sample: { ...sampleWith(port), body: 'of another workload' } });
    await expect(second.exitCode).rejects.toThrow(
      `the listener "${name}" cannot use 127.0.0.1:${port}, where process ${first.envoyPid} (envoy) listens`,
    );
    expect(second.lines.join('')).not.toContain('Envoy started');
    expect(await first.get()).toEqual({ status: 200, body: 'one' });
  });
});

describe('checkListenerPorts', () => {
  test.each([['/proc/net'], ['/nowhere']])('finds a taken port with the tables of %s', async (tables) => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port));
    });
    const listener = { name: 'one', address: { socket_address: { address: '127.0.0.1', port_value: port } } };
    const addresses = boundAddresses({ bootstrap: {}, listeners: fileOf(listener) });
    await expect(checkListenerPorts(addresses, await listeningPorts(tables))).rejects.toThrow(
      `cannot use 127.0.0.1:${port}`,
    );
    await new Promise((resolve) => server.close(resolve));
    await checkListenerPorts(addresses, await listeningPorts(tables));
  });
});
