import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { openSandbox } from './sandbox.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const node = '.tools/bin/node';
const isRoot = process.getuid?.() === 0;

/** A program that opens a sandbox, starts a sleeper in it, tells the folder, and never closes. */
function maker(asRoot: boolean, seconds: string): string[] {
  const sandboxFile = new URL('sandbox.ts', import.meta.url).pathname;
  const script = `
    const { openSandbox } = await import(${JSON.stringify(sandboxFile)});
    const sandbox = await openSandbox(${asRoot});
    await sandbox.must(['ip', 'netns', 'add', 'one']);
    await sandbox.must(['iptables-restore', '--noflush'], { network: 'one', stdin: '*nat\\n-A OUTPUT -p tcp -m owner --uid-owner 1337 -j RETURN\\nCOMMIT\\n' });
    await sandbox.start(['sleep', ${JSON.stringify(seconds)}], sandbox.folder + '/sleep.log', { network: 'one', uid: 1337 });
    console.log(sandbox.folder);
    setInterval(() => {}, 1000);`;
  return [node, '--input-type=module', '-e', script];
}

/** Command lines of this machine that name `word`. */
async function commandLines(word: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.split('\0').includes(word));
}

/** The rules of the machine itself; only root may see them. */
async function machineRules(): Promise<string> {
  if (!isRoot) return '';
  const { stdout } = await run('iptables-save');
  return stdout.replace(/^#.*$/gm, '');
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return chunk.toString().trim();
}

async function gone(folder: string, word: string): Promise<true | undefined> {
  return !existsSync(folder) && (await commandLines(word)).length === 0 ? true : undefined;
}

describeMesh('openSandbox', () => {
  test.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'leaves nothing behind after %s of its maker',
    async (signal) => {
      const seconds = `8${process.pid}.${signal.length}`;
      const rulesBefore = await machineRules();
      const [command = '', ...args] = maker(isRoot, seconds);
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const folder = await firstLine(child);
      expect(existsSync(folder)).toBe(true);
      expect(await commandLines(seconds)).not.toEqual([]);
      child.kill(signal);
      await until(() => gone(folder, seconds), {
        timeoutMs: 60_000,
        otherwise: async () => `${folder} is still there`,
      });
      const rulesAfter = await run('iptables-save').then(({ stdout }) => stdout.replace(/^#.*$/gm, ''));
      expect(rulesAfter).toBe(rulesBefore);
    },
  );

  test('works in a user namespace with a range of ids, owner rules included', async () => {
    const ranges = join(await mkdtemp(join(tmpdir(), 'mesh-ranges-')), 'subids');
    await writeFile(ranges, 'root:100000:65536\n');
    const enter = 'mount --bind "$0" /etc/subuid; mount --bind "$0" /etc/subgid; exec "$@"';
    const seconds = `9${process.pid}`;
    const args = ['--mount', 'sh', '-ec', enter, ranges, ...maker(false, seconds)];
    // Root is given a range for this test alone; a plain user has its own.
    const [command = '', ...rest] = isRoot ? ['unshare', ...args] : maker(false, seconds);
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    const folder = await firstLine(child);
    expect(await commandLines(seconds)).not.toEqual([]);
    child.kill('SIGKILL');
    await until(() => gone(folder, seconds), { timeoutMs: 60_000, otherwise: async () => `${folder} is still there` });
    await rm(join(ranges, '..'), { recursive: true });
  });

  test('ends its programs when it is closed, and gives their exit codes', async () => {
    const sandbox = await openSandbox();
    const asked = await sandbox.start(['sleep', '1000'], join(sandbox.folder, 'log'));
    await asked.signal('TERM');
    expect(await asked.exited).toBe(143);
    const left = await sandbox.start(['sleep', '1000'], join(sandbox.folder, 'log'));
    await sandbox.close();
    expect(await left.exited).toBe(137);
    expect(existsSync(sandbox.folder)).toBe(false);
  });

  test('keeps the network of the machine out of reach', async () => {
    const sandbox = await openSandbox();
    const { stdout } = await sandbox.run(['ip', '-o', 'link']);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    await sandbox.close();
  });
});
