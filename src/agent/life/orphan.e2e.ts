import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EnvoyProcess, spawnEnvoy } from '../../envoy/process.ts';
import { createLog } from '../log/log.ts';
import { endOrphan, forgetEnvoy, recordEnvoy } from './orphan.ts';
import { identityOf, portOwner } from './process-table.ts';
import { removeLeftovers } from './tidy.ts';

let folder: string;
let lines: string[];
const log = createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) });
const running: EnvoyProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orphan-'));
  lines = [];
});
afterEach(async () => {
  for (const fake of running.splice(0)) fake.signal('SIGKILL');
  await rm(folder, { recursive: true });
});

/** What can be made to ignore SIGTERM, which the real Envoy cannot. */
async function startFake(onTerm: 'ignores' | 'obeys'): Promise<EnvoyProcess> {
  const script = `process.on('SIGTERM', () => ${onTerm === 'obeys' ? 'process.exit(0)' : '{}'}); console.log('up'); setInterval(() => {}, 1000);`;
  const fake = await spawnEnvoy({ binary: process.execPath, args: ['-e', script], output: 'pipe' });
  running.push(fake);
  if (fake.stdout !== null) await once(fake.stdout, 'data');
  return fake;
}

describe('endOrphan', () => {
  test.each([
    ['obeys', { code: 0, signal: null }],
    ['ignores', { code: null, signal: 'SIGKILL' }],
  ] as const)('ends the Envoy that was noted, when it %s SIGTERM', async (onTerm, status) => {
    const fake = await startFake(onTerm);
    await recordEnvoy(folder, fake);
    await endOrphan(folder, log);
    expect(await fake.exited).toEqual(status);
    expect(lines.join('')).toContain(`is ended\tpid=${fake.pid}`);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['startTicks', 1],
    ['bootId', 'another'],
    ['namespace', 'pid:[1]'],
    ['commandLine', ['envoy', '-c', 'other.json']],
    ['workingDirectory', '/elsewhere'],
    ['pid', 1],
    ['pid', '12'],
  ])('leaves alone a process of the noted id with another %s: %j', async (field, value) => {
    const fake = await startFake('obeys');
    await recordEnvoy(folder, fake);
    const path = join(folder, 'envoy.pid');
    const record = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...record, [field]: value }));
    await endOrphan(folder, log);
    expect(await identityOf(fake.pid)).toBeDefined();
    expect(lines).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each(['', '{"pid":', 'null', '"x"'])('takes a note that cannot be read (%j) for none', async (text) => {
    await writeFile(join(folder, 'envoy.pid'), text);
    await endOrphan(folder, log);
    expect(lines).toEqual([]);
  });

  test('finds nothing after an agent that ended in order', async () => {
    const fake = await startFake('obeys');
    await recordEnvoy(folder, fake);
    await forgetEnvoy(folder);
    await endOrphan(folder, log);
    expect(await identityOf(fake.pid)).toBeDefined();
  });
});

describe('identityOf', () => {
  test('distinguishes a running process from one that has ended, also from a zombie', async () => {
    expect(await identityOf(process.pid)).toMatchObject({ pid: process.pid, startTicks: expect.any(Number) });
    // The shell becomes a sleep, which never waits for the child that the shell had.
    const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    while ((await identityOf(Number(pid))) !== undefined) await new Promise(setImmediate);
    expect(await readFile(`/proc/${Number(pid)}/stat`, 'utf8')).toContain(') Z ');
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});

describe('portOwner', () => {
  test('names the process that listens, and none where no process listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await portOwner(port)).toMatch(new RegExp(`^process ${process.pid} \\(.+\\)$`));
    await new Promise((resolve) => server.close(resolve));
    expect(await portOwner(port)).toBeUndefined();
  });
});

describe('removeLeftovers', () => {
  test('removes files that were not renamed and locks that were not taken, and nothing else', async () => {
    const names = ['listeners.json', 'listeners.json.tmp', 'agent.lock.01', 'agent.lock.02.new', 'agent.lock.03.new'];
    for (const name of names) await writeFile(join(folder, name), '');
    await utimes(join(folder, 'agent.lock.02.new'), 1, 1);
    await removeLeftovers(folder);
    expect((await readdir(folder)).sort()).toEqual(['agent.lock.01', 'agent.lock.03.new', 'listeners.json']);
  });
});
