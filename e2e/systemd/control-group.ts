import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../../src/lib/abort.ts';

/** A control group that processes may be put into, in the kernel's one hierarchy (cgroup2). */
export interface ControlGroup {
  /** Its name below the root of the hierarchy. */
  readonly name: string;
  /** Removes it with all groups below it; throws when processes stay in one of them for more than 10 s. */
  close(): Promise<void>;
}

/** Makes the group $1, and removes it, and what has been made below it, when the pipe ends and no process is left. */
const keeperScript = `
exec unshare --mount sh -ec '
  mount -t cgroup2 cgroup2 /mnt
  mkdir "/mnt/$1"
  echo ready
  cat > /dev/null
  until find "/mnt/$1" -depth -type d -exec rmdir {} + 2> /dev/null; do sleep 0.02; done
' sh "$1"
`;

/** Needs root. The group ends with this process, however that ends: its keeper holds the other end of a pipe. */
export async function openControlGroup(name: string): Promise<ControlGroup> {
  const keeper = spawn('sh', ['-c', keeperScript, 'sh', name], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(keeper, 'exit');
  const ready = once(keeper.stdout, 'data').then(() => true);
  const isReady = await Promise.race([ready, exited.then(() => false)]);
  if (!isReady) throw new Error(`could not make the control group "${name}"`);
  return {
    name,
    close: async () => {
      keeper.stdin.end();
      if ((await within(10_000, exited)) !== undefined) return;
      keeper.kill('SIGKILL');
      throw new Error(`processes stay in the control group "${name}"`);
    },
  };
}
