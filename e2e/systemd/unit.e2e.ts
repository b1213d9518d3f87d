import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/testbed/program.ts';
import { until } from '../../src/testbed/until.ts';
import { createMeshCa } from '../../src/testing/certificates.ts';
import { type Machine, openMachine } from './machine.ts';

const name = 'mesh-proxy.service';
const inputs = '/etc/mesh/policies/mesh.yaml';
const page = new URL('../../docs/explanation/pilot-agent-lifecycle.md', import.meta.url);

/** The mode stands on line 4. */
const mesh = (mode: string): string => `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: ${mode}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app, ports: [{containerPort: 8000}]}]}
status: {podIP: 127.0.0.1, conditions: [{type: Ready, status: "True"}]}
`;

/** The unit that the page shows, word by word; only its times are made shorter, as an administrator would. */
async function install(machine: Machine): Promise<void> {
  const [, unit = ''] = /```ini\n([\s\S]*?)```/.exec(await readFile(page, 'utf8')) ?? [];
  await machine.write(`/etc/systemd/system/${name}`, unit);
  const shorter = '[Service]\nEnvironment=TERMINATION_DRAIN_DURATION_SECONDS=2\nRestartSec=100ms\n';
  await machine.write(`/etc/systemd/system/${name}.d/times.conf`, shorter);
  const issued = await (await createMeshCa()).issue('spiffe://cluster.local/ns/shop/sa/web');
  await machine.write('/etc/certs/cert-chain.pem', issued.certificateChain);
  await machine.write('/etc/certs/key.pem', issued.privateKey);
  await machine.write('/etc/certs/root-cert.pem', issued.rootCertificate);
  await machine.write(inputs, mesh('STRICT'));
  await machine.must('systemctl', 'daemon-reload');
}

describe.skipIf(isImpossible())('the unit of docs/explanation/pilot-agent-lifecycle.md', () => {
  let machine: Machine;
  let mounts: string;

  beforeAll(async () => {
    mounts = await readFile('/proc/self/mountinfo', 'utf8');
    machine = await openMachine();
    await install(machine);
  });

  afterAll(async () => {
    await machine?.close();
    expect(existsSync(machine.sandbox.folder)).toBe(false);
    expect(await readFile('/proc/self/mountinfo', 'utf8')).toBe(mounts);
  });

  test('fails to start with what is wrong in the journal, and is up by itself once that is fixed', async () => {
    await machine.write(inputs, mesh('STRICTLY'));
    const start = await machine.run('systemctl', 'enable', '--now', name);
    expect(start.exitCode).toBe(1);
    expect(await journal()).toMatch(/mesh\.yaml:4:\d+: error: .*STRICTLY/);
    // After five starts in ten seconds systemd gives up, unless it is told not to.
    const isSixth = async (): Promise<true | undefined> =>
      Number((await show('NRestarts'))[0]) > 5 ? true : undefined;
    await until(isSixth, { timeoutMs: 60_000, otherwise: journal });
    await machine.write(inputs, mesh('STRICT'));
    await up();
    await machine.must('systemctl', 'stop', name);
  });

  test('is started when the proxy is ready, and not before', async () => {
    await machine.must('systemctl', 'start', name);
    const ready = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', 'http://127.0.0.1:15021/healthz/ready'];
    expect(await machine.must(...ready)).toBe('200');
    const { agent } = await up();
    expect(await machine.must('systemctl', 'status', '--no-pager', name)).toContain(`Main PID: ${agent} `);
    expect(await journal(agent)).toContain('agent\tstate=running');
  });

  test('lets the proxy write its own folder and nothing else', async () => {
    const { agent } = await up();
    const write = (path: string): Promise<RunResult> =>
      machine.run('nsenter', `--target=${agent}`, '--mount', '--root', 'touch', path);
    expect(await write('/etc/mesh/proxy/own')).toMatchObject({ exitCode: 0 });
    for (const path of [inputs, '/etc/certs/key.pem', '/usr/local/bin/own', '/sys/fs/cgroup/own'])
      expect([path, (await write(path)).stderr]).toEqual([path, expect.stringContaining('Read-only file system')]);
    expect(await machine.must('stat', '-c', '%a %U', '/etc/mesh/proxy')).toBe('700 root\n');
    expect(await machine.must('grep', 'NoNewPrivs', `/proc/${agent}/status`)).toContain('1');
  });

  test('is reloaded without a new process', async () => {
    const before = await up();
    await machine.must('systemctl', 'reload', name);
    expect(await up()).toEqual(before);
  });

  test.each([
    ['Envoy', 'envoy', 'code=exited, status=137'],
    ['the agent', 'agent', 'code=killed, status=9/KILL'],
  ] as const)('is started again when %s is killed, and nothing of before is left', async (_name, which, reason) => {
    const before = await up();
    await machine.must('kill', '-KILL', String(before[which]));
    const after = await up(before);
    expect(after).not.toMatchObject({ agent: before.agent });
    expect((await machine.run('kill', '-0', String(before.agent))).exitCode).toBe(1);
    expect((await machine.run('kill', '-0', String(before.envoy))).exitCode).toBe(1);
    expect(await journal()).toContain(`Main process exited, ${reason}`);
    // The agent found no Envoy that it would have had to end: systemd was first.
    expect(await journal(after.agent)).not.toContain('an Envoy of an agent that was killed still runs');
  });

  test('drains when it is stopped, in less than the time that systemd gives it', async () => {
    const { agent } = await up();
    await machine.must('systemctl', 'log-level', 'debug');
    const startedAt = performance.now();
    await machine.must('systemctl', 'stop', name);
    expect(performance.now() - startedAt).toBeGreaterThan(1_950);
    await machine.must('systemctl', 'log-level', 'info');
    expect(await show('Result', 'ActiveState', 'ExecMainStatus')).toEqual(['success', 'inactive', '0']);
    expect(await machine.processes(name)).toEqual(new Map());
    expect(await journal(agent)).toMatch(/asked to stop\tsignal=SIGTERM[\s\S]*drain ended[\s\S]*Envoy has ended/);
    expect(await journal()).toContain(`Got notification message from PID ${agent} (STOPPING=1)`);
  });

  /** Messages of the unit and about it; only those of one process when it is given. */
  async function journal(pid?: number): Promise<string> {
    await machine.must('journalctl', '--sync');
    const of = pid === undefined ? [] : [`_PID=${pid}`];
    return machine.must('journalctl', '--no-pager', '--output=cat', `--unit=${name}`, ...of);
  }

  async function show(...properties: readonly string[]): Promise<string[]> {
    const rows = await machine.must('systemctl', 'show', `--property=${properties.join(',')}`, name);
    const values = new Map(rows.split('\n').map((row) => [row.split('=')[0], row.slice(row.indexOf('=') + 1)]));
    return properties.map((property) => values.get(property) ?? '');
  }

  /**
   * Process ids once the unit is active with another agent than that of `before`. Two processes are all that it has, when
   * the command that has told systemd so is gone.
   */
  async function up(before?: { agent: number }): Promise<{ agent: number; envoy: number }> {
    const probe = async (): Promise<{ agent: number; envoy: number } | undefined> => {
      const [state, pid] = await show('ActiveState', 'MainPID');
      const agent = Number(pid);
      if (state !== 'active' || agent === before?.agent) return undefined;
      const processes = await machine.processes(name);
      const [envoy = 0, ...others] = [...processes.keys()].filter((id) => id !== agent);
      const isThere = processes.get(agent)?.includes('pilot-agent proxy --id web.shop');
      const serves = processes.get(envoy)?.includes('.tools/bin/envoy -c');
      return isThere && serves && others.length === 0 ? { agent, envoy } : undefined;
    };
    const otherwise = async (): Promise<string> =>
      `${[...(await machine.processes(name)).values()].join('\n')}\n${await journal()}`;
    return until(probe, { timeoutMs: 60_000, otherwise });
  }
});

/** Control groups and devices need root. */
function isImpossible(): boolean {
  const isUser = process.getuid?.() !== 0;
  if (isUser) process.stderr.write('SKIPPED: the unit under systemd: needs root\n');
  return isUser;
}
