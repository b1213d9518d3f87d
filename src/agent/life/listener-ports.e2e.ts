import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spawnEnvoy } from '../../envoy/process.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { startingAgents } from '../testing/life-probe.ts';
import { boundAddresses, checkListenerPorts } from './listener-ports.ts';
import { recordEnvoy } from './orphan.ts';
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

test('an agent starts no Envoy with a listener on its own status port', async () => {
  const [port = 0] = await freePorts(1);
  const agent = await start({ sample: { httpPort: port }, config: { statusPort: port } });
  await expect(agent.exitCode).rejects.toThrow(
    `the listener "inbound" cannot use 127.0.0.1:${port}, where process ${process.pid} (`,
  );
});

/** Ports on which this process listens, or tries to, from now on. */
function portsTried(): ReadonlySet<number> {
  const channel = 'tracing:net.server.listen:asyncStart';
  const tried = new Set<number>();
  const note = (message: unknown): void => {
    tried.add((message as { readonly options: { readonly port: number } }).options.port);
  };
  subscribe(channel, note);
  onTestFinished(() => void unsubscribe(channel, note));
  return tried;
}

describe('an agent after one that was killed', () => {
  test('takes no connection on the ports of the leftover Envoy, which it ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-'));
    const [httpPort = 0, adminPort = 0, statusPort = 0] = await freePorts(3);
    const script = `const { createServer } = require('node:net');
const listen = (port, next) => createServer().listen(port, '127.0.0.1', next);
listen(${httpPort}, () => listen(${adminPort}, () => console.log('up')));`;
    const left = await spawnEnvoy({ binary: process.execPath, args: ['-e', script], output: 'pipe' });
    onTestFinished(() => void left.signal('SIGKILL'));
    if (left.stdout !== null) await once(left.stdout, 'data');
    await mkdir(join(folder, 'proxy'));
    await recordEnvoy(join(folder, 'proxy'), left);
    const tried = portsTried();
    const agent = await start({ folder, sample: { httpPort, adminPort }, config: { statusPort } });
    await agent.untilReady();
    expect(agent.lines.join('')).toContain(`still runs and is ended\tpid=${left.pid}`);
    expect(tried).toContain(statusPort);
    expect([httpPort, adminPort].filter((port) => tried.has(port))).toEqual([]);
    expect(await agent.get()).toEqual({ status: 200, body: 'one' });
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
