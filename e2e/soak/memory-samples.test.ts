import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { MemorySamples, memoryScript } from './memory-samples.ts';

test('memory is that of the programs of each kind together, in parts of a run', () => {
  const samples = new MemorySamples();
  const listed = (envoy: number): string => `1024 /sbin/init
2048 node /usr/local/bin/meshd serve --consul http://10.77.0.4:8500
1024 /run/mesh/repository/.tools/bin/node /run/mesh/repository/dist/meshd.js serve
3072 node /usr/local/bin/pilot-agent proxy
${envoy} /run/mesh/repository/.tools/bin/envoy -c /var/lib/mesh-proxy/envoy.json
512 /usr/local/bin/consul agent -server
`;
  samples.add(listed(10_240), 1_000);
  samples.add(listed(20_480), 2_000);
  expect(samples.kinds).toEqual(['meshd', 'agents', 'Envoys', 'Consul']);
  const mean = (kind: (typeof samples.kinds)[number]) => samples.mean(kind, 0, 3_000);
  expect(samples.kinds.map(mean)).toEqual([3, 3, 15, 0.5]);
  expect([samples.mean('Envoys', 1_500, 3_000), samples.mean('Envoys', 3_000, 4_000)]).toEqual([20, undefined]);
});

test('the script prints resident memory and command line of this process', () => {
  const { stdout } = spawnSync('sh', ['-c', memoryScript], { encoding: 'utf8' });
  const command = readFileSync('/proc/self/cmdline', 'utf8').replaceAll('\0', ' ').trim();
  const own = stdout.split('\n').filter((line) => line.trim().endsWith(command));
  expect(Math.max(...own.map((line) => Number(line.split(' ')[0])))).toBeGreaterThan(10_000);
});

test('the script lists what there is when the last process has ended, and nobody has waited for it', async () => {
  const parent = spawn('sh', ['-c', 'head -c 1 <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  try {
    const [printed] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
    const ended = `/proc/${printed.toString().trim()}`;
    // A shell might still wait for it.
    await eventually(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    (parent.stdio[3] as Writable).end('.');
    await eventually(() => expect(readFileSync(`${ended}/status`, 'utf8')).toMatch(/^State:\s*Z/m));
    const script = memoryScript.replace('/proc/[0-9]*', `/proc/${process.pid} ${ended}`);
    const { status, stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect([status, stdout.trim().split('\n').length]).toEqual([0, 1]);
  } finally {
    parent.kill();
  }
});
