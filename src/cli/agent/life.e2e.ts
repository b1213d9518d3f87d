import { spawn } from 'node:child_process';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { isAlive } from '../../testing/processes.ts';
import { childrenOf, kill, ProxyProgram } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

let proxy: ProxyProgram;
beforeEach(async () => {
  proxy = await ProxyProgram.create(podMesh());
});
afterEach(() => proxy.close());

describe('an agent that was killed', () => {
  test('is followed by an agent that ends the leftover Envoy, and serves on the same ports', async () => {
    proxy.start();
    await proxy.logged('state=running');
    const [agent, left] = [proxy.pid, proxy.envoyPid ?? 0];
    kill(agent);
    await eventually(() => expect(isAlive(agent)).toBe(false));
    expect(isAlive(left)).toBe(true);
    try {
      proxy.start({ namespaceOf: left });
      await proxy.logged('state=running');
    } finally {
      await eventually(() => expect(isAlive(left)).toBe(false));
    }
    expect(proxy.output).toContain(`an Envoy of an agent that was killed still runs and is ended\tpid=${left}`);
    await proxy.untilReady();
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready').status).toBe(200);
    expect(await childrenOf(proxy.pid)).toEqual([proxy.envoyPid]);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(await readdir(join(proxy.folder, 'etc/mesh/proxy'))).not.toContain('envoy.pid');
  });
});

describe('in a PID namespace', () => {
  test.each([
    ['under tini', ['tini', '--']],
    ['as PID 1', []],
  ])('stops in order when told to, %s', async (_name, under) => {
    proxy.start({ under });
    await proxy.logged('state=running');
    const [first = 0] = await childrenOf(proxy.pid);
    process.kill(first, 'SIGTERM');
    await proxy.logged('asked to stop\tsignal=SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(proxy.output).toContain('drain ended');
  });

  test('passes on the exit code of Envoy under tini, which leaves no zombies', async () => {
    proxy.start({ under: ['tini', '--'] });
    await proxy.logged('state=running');
    const [tini = 0] = await childrenOf(proxy.pid);
    // What a probe that somebody runs in the container leaves behind: a child whose parent has ended.
    const stranger = spawn('nsenter', ['-t', String(tini), '-p', '-m', 'sh', '-c', 'sleep 0.2 & sleep 0.1']);
    await new Promise((resolve) => stranger.once('exit', resolve));
    const states = async (): Promise<string[]> => Promise.all((await childrenOf(tini)).map(nameAndState));
    await eventually(async () =>
      expect(await states()).toEqual([expect.stringMatching(/^\((node|MainThread)\) [SR]$/)]),
    );
    const [agent = 0] = await childrenOf(tini);
    const [envoy = 0] = await childrenOf(agent);
    kill(envoy);
    expect(await proxy.exit).toBe(137);
  });
});

describe('a program that goes wrong', () => {
  test('serves on when nobody reads its output any more', async () => {
    proxy.start();
    await proxy.untilReady();
    proxy.closeOutput();
    await proxy.write('mesh/more.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: bar}\n');
    await proxy.write('mesh/wrong.yaml', 'apiVersion: [');
    for (let i = 0; i < 20; i++) expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
  });

  test('ends Envoy, and then itself with 70, after an error that nobody caught', async () => {
    await proxy.write('plant.cjs', "process.on('SIGUSR2', () => setTimeout(() => { throw new Error('planted'); }));");
    proxy.start({ environment: { NODE_OPTIONS: `--require ${proxy.folder}/plant.cjs` } });
    await proxy.logged('state=running');
    proxy.signal('SIGUSR2');
    expect(await proxy.exit).toBe(70);
    expect(proxy.output).toMatch(/this is a bug, please report it\nError: planted\n {4}at /);
    expect(isAlive(proxy.envoyPid ?? 0)).toBe(false);
  });

  test.each([
    ['the status port', 15020, /the status port 15020 is taken by process \d+ \(python3\)/],
    [
      "the port of Envoy's admin",
      15000,
      /the port of Envoy's admin, 127\.0\.0\.1:15000, is taken by process \d+ \(python3\)/,
    ],
  ])('says with 3 who has %s', async (_name, port, message) => {
    const listen = `import socket, time; s = socket.create_server(("0.0.0.0", ${port})); time.sleep(60)`;
    proxy.start({
      prepare: `python3 -c '${listen}' > /dev/null 2>&1 & echo $! > holder; while ! grep -q ':${port.toString(16).toUpperCase()} ' /proc/net/tcp; do :; done`,
    });
    try {
      expect(await proxy.exit, proxy.output).toBe(3);
      expect(proxy.output).toMatch(message);
    } finally {
      kill(Number(await proxy.readOwn('holder')));
    }
  });
});

describe('SIGUSR1 and SIGUSR2', () => {
  test('end nothing, and open no debugger to the pod', async () => {
    proxy.start();
    await proxy.untilReady();
    proxy.signal('SIGUSR1');
    proxy.signal('SIGUSR2');
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
    expect(proxy.curl('http://127.0.0.1:9229/json').status).toBe(0);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(proxy.output).not.toContain('Debugger');
  });
});

describe('SIGHUP', () => {
  test('has the log of the agent and the access log of Envoy go on under the names that were moved away', async () => {
    await proxy.write('mesh.yaml', 'accessLogFile: ./access.log\n');
    proxy.start({
      args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml', '--log_target', 'agent.log', '--log_target', 'stdout'],
    });
    await proxy.logged('state=running');
    for (const name of ['agent.log', 'access.log'])
      await rename(join(proxy.folder, name), join(proxy.folder, `${name}.1`));
    proxy.signal('SIGHUP');
    const reopened = async (name: string): Promise<void> => {
      // Envoy makes its file anew when it has something to write.
      proxy.curl('http://127.0.0.1:15006/');
      expect(await readdir(proxy.folder)).toContain(name);
    };
    for (const name of ['agent.log', 'access.log']) await eventually(() => reopened(name));
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(await proxy.readOwn('agent.log')).toContain('state=exited');
  });
});

describe('variables and flags of the life cycle', () => {
  test.each([
    ['the variable', { environment: { MESH_RESTART_POLICY: 'on-failure' } }],
    [
      'the flag',
      { args: ['--policies', 'mesh', '--restartPolicy', 'always'], environment: { MESH_RESTART_POLICY: 'never' } },
    ],
  ])('Envoy comes back where %s says so', async (_name, options) => {
    proxy.start(options);
    await proxy.logged('state=running');
    kill(proxy.envoyPid ?? 0);
    await proxy.logged(/state=backing-off[\s\S]*state=running/);
    const [, second] = [...proxy.output.matchAll(/Envoy started\tpid=(\d+)/g)].map(([, pid]) => Number(pid));
    await proxy.untilReady();
    expect(proxy.curl('http://127.0.0.1:15020/stats/prometheus').body).toMatch(/^mesh_agent_envoy_restarts_total 1$/m);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(isAlive(second ?? 0)).toBe(false);
  });

  test('systemd is told when the proxy is ready, and when it stops', async () => {
    const listen = `import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("notify")
while True:
    with open("notices", "a") as f: f.write(s.recv(4096).decode() + "\\n")`;
    await proxy.write('listen.py', listen);
    proxy.start({
      prepare: 'python3 listen.py > /dev/null 2>&1 & echo $! > listener; while ! test -S notify; do :; done',
      environment: { NOTIFY_SOCKET: join(proxy.folder, 'notify') },
    });
    try {
      await proxy.logged('state=running');
      await eventually(async () => expect(await proxy.readOwn('notices')).toMatch(/READY=1/));
      expect(await proxy.readOwn('notices')).not.toContain('STOPPING=1');
      proxy.signal('SIGTERM');
      expect(await proxy.exit).toBe(0);
      await eventually(async () => expect(await proxy.readOwn('notices')).toMatch(/READY=1[\s\S]*STOPPING=1/));
    } finally {
      kill(Number(await proxy.readOwn('listener')));
    }
  });
});

/** `(node) S` (proc(5)). */
async function nameAndState(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return /\(.*\) ./.exec(stat)?.[0] ?? '';
}
