import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProxyProgram } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

const root = resolve(import.meta.dirname, '../../..');

let proxy: ProxyProgram;
beforeEach(async () => {
  proxy = await ProxyProgram.create(podMesh());
});
afterEach(() => proxy.close());

/** Milliseconds until the program has ended. */
async function timedExit(): Promise<number> {
  const startedAt = performance.now();
  await proxy.exit;
  return performance.now() - startedAt;
}

describe('the drain of pilot-agent proxy', () => {
  test('ends early at no connection, but not before its minimum', async () => {
    const environment = {
      TERMINATION_DRAIN_DURATION_SECONDS: '60',
      EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true',
      MINIMUM_DRAIN_DURATION: '1s',
      TERMINATION_GRACE_PERIOD_SECONDS: '30',
    };
    proxy.start({ environment });
    await proxy.logged('state=running');
    expect(proxy.output).toContain('a stop may take 62 s, but the agent is killed 30 s after SIGTERM');
    proxy.signal('SIGTERM');
    const ms = await timedExit();
    expect(ms).toBeGreaterThan(950);
    expect(ms).toBeLessThan(30_000);
    expect(proxy.output).toContain('no connection is open');
  });

  test('lasts its full time, without a crash, while the admin interface of Envoy is unreachable', async () => {
    proxy.start({ environment: { TERMINATION_DRAIN_DURATION_SECONDS: '2' } });
    await proxy.logged('state=running');
    const block = [
      'iptables',
      '-I',
      'INPUT',
      '-p',
      'tcp',
      '--dport',
      '15000',
      '-j',
      'REJECT',
      '--reject-with',
      'tcp-reset',
    ];
    expect(proxy.run(block).code).toBe(0);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(503);
    proxy.signal('SIGTERM');
    const ms = await timedExit();
    expect(await proxy.exit).toBe(0);
    expect(ms).toBeGreaterThan(1_950);
    expect(ms).toBeLessThan(30_000);
    expect(proxy.output.match(/Envoy cannot be asked to drain/g)).toHaveLength(1);
  });

  test('begins with the hook before a stop, and SIGTERM waits for what is left of it', async () => {
    proxy.start({ environment: { TERMINATION_DRAIN_DURATION_SECONDS: '3' } });
    await proxy.logged('state=running');
    const startedAt = performance.now();
    const program = join(root, 'dist/pilot-agent.js');
    const hook = proxy.run([process.execPath, program, 'request', '--debug-port', '15020', 'POST', 'drain']);
    expect(hook.code).toBe(0);
    await proxy.logged('state=draining');
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready').status).toBe(503);
    proxy.signal('SIGTERM');
    await proxy.exit;
    const ms = performance.now() - startedAt;
    expect(ms).toBeGreaterThan(2_950);
    expect(proxy.output.match(/drain ended/g)).toHaveLength(1);
  });

  test('reports its duration as a metric, if only the hook has requested it', async () => {
    proxy.start({ environment: { TERMINATION_DRAIN_DURATION_SECONDS: '1' } });
    await proxy.logged('state=running');
    expect(proxy.curl('http://127.0.0.1:15020/drain', '-X', 'POST').status).toBe(200);
    await proxy.logged('drain ended');
    const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
    const [, seconds] = /^mesh_agent_drain_seconds (\S+)$/m.exec(body) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(1);
    expect(Number(seconds)).toBeLessThan(60);
  });
});

describe('the unit of docs/explanation/pilot-agent-lifecycle.md', () => {
  test('is one that systemd takes', async () => {
    const page = await readFile(join(root, 'docs/explanation/pilot-agent-lifecycle.md'), 'utf8');
    const [, unit = ''] = /```ini\n([\s\S]*?)```/.exec(page) ?? [];
    expect(unit).toContain('ExecStart=');
    // The check wants programs that are there.
    await proxy.write('mesh-proxy.service', unit.replace('/usr/local/bin/pilot-agent', '/bin/true'));
    const verify = spawnSync('systemd-analyze', ['verify', './mesh-proxy.service'], {
      cwd: proxy.folder,
      encoding: 'utf8',
    });
    expect(verify.stderr.split('\n').filter((line) => line.includes('mesh-proxy'))).toEqual([]);
    expect(verify.status).toBe(0);
  });
});
