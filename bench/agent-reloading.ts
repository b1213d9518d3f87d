import { execFileSync } from 'node:child_process';
import { createServer, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { denyPath } from '../src/cli/agent/testing/sample-mesh.ts';
import { AgentFolder } from './agent-folder.ts';
import { line, ms, quantile } from './measure.ts';

const applicationPort = 8_000;
/** An address of the host beside 127.0.0.1, at which Envoy refuses what comes from outside. */
const address = '192.0.2.1';
const lookEveryMs = 2;

/** Services beside the workload's own, and how many reloads are timed. */
const sizes = [
  { services: 10, reloads: 100 },
  { services: 100, reloads: 100 },
  { services: 1_000, reloads: 40 },
];

/** From the rename of a policy file to the first request that Envoy decides by it; the debounce of 100 ms is in it. */
export async function agentReloading(): Promise<void> {
  // What comes to the workload goes to Envoy first; Envoy's own connections, from 127.0.0.6, do not.
  execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  const inbound = ['-d', address, '--dport', String(applicationPort), '!', '-s', '127.0.0.6'];
  execFileSync('iptables', [
    '-t',
    'nat',
    '-A',
    'OUTPUT',
    '-p',
    'tcp',
    ...inbound,
    '-j',
    'REDIRECT',
    '--to-ports',
    '15006',
  ]);
  const application = createServer((_, response) => response.end('ok')).listen(applicationPort, '0.0.0.0');
  try {
    for (const { services, reloads } of sizes) await reloading(services, reloads);
  } finally {
    application.close();
  }
}

async function reloading(services: number, reloads: number): Promise<void> {
  const folder = await AgentFolder.create(services);
  await folder.write('mesh/changed.yaml', denyPath('/start'));
  const agent = folder.start();
  try {
    await agent.seen('state=running');
    const times: number[] = [];
    // The first ones run code that V8 has not compiled yet.
    for (let i = -5; i < reloads; i += 1) {
      const changedAt = await folder.replace('mesh/changed.yaml', denyPath(`/path${i}`));
      while ((await ask(`/path${i}`)) !== 403) await delay(lookEveryMs);
      if (i >= 0) times.push(performance.now() - changedAt);
      await agent.seen('configuration in force', i + 7);
    }
    line(
      `rename to the new policy in force, ${services} services, ${reloads} reloads`,
      `p50 ${ms(quantile(times, 0.5))}`,
      `p99 ${ms(quantile(times, 0.99))}`,
    );
  } finally {
    await agent.end();
    await folder.remove();
  }
}

/** On a connection of its own: an older one keeps the policy that it began with. */
function ask(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = request({ host: address, port: applicationPort, path, agent: false }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
}
