import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { until } from '../../src/testbed/until.ts';

const run = promisify(execFile);

/** Names of the control groups of machines; a group that has a process cannot be gone. */
async function groups(): Promise<string[]> {
  const list = 'mount -t cgroup2 cgroup2 /mnt && cd /mnt && ls -d mesh-machine-* 2>/dev/null || :';
  return (await run('unshare', ['--mount', 'sh', '-c', list])).stdout.split('\n').filter(Boolean);
}

describe.skipIf(process.getuid?.() !== 0)('openMachine', () => {
  test('leaves no process, control group or folder after SIGKILL of its maker', async () => {
    const before = await groups();
    const made = async (): Promise<string[]> => (await groups()).filter((name) => !before.includes(name));
    const script = `
      const { openMachine } = await import(${JSON.stringify(new URL('machine.ts', import.meta.url).pathname)});
      const machine = await openMachine();
      console.log(machine.sandbox.folder);
      setInterval(() => {}, 1000);`;
    const maker = spawn('.tools/bin/node', ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [chunk] = (await once(maker.stdout, 'data')) as [Buffer];
      const folder = chunk.toString().trim();
      expect(existsSync(folder)).toBe(true);
      expect(await made()).toHaveLength(1);
      maker.kill('SIGKILL');
      await until(async () => (!existsSync(folder) && (await made()).length === 0 ? true : undefined), {
        timeoutMs: 60_000,
        otherwise: async () => `${folder} or ${await made()} is still there`,
      });
    } finally {
      maker.kill('SIGKILL');
    }
  });
});
