import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applicationUid } from './curl.ts';
import type { PlannedPod } from './floor-plan.ts';
import { type Place, type Sandbox, scratch } from './sandbox.ts';
import { until } from './until.ts';

/** Programs of the reader's own that run in pods. */
export interface OwnPrograms {
  /** Folder whose copy is their working directory. */
  readonly folder: string;
  /** Command lines of a pod's containers, by `namespace/name`. */
  readonly commands: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** Search path of programs in pods: that of a container image, since the user's own may lead to closed folders. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where and as whom an application runs in a pod: in the copy of the folder of {@link OwnPrograms}. */
export function applicationPlace(pod: string): Place {
  return {
    network: pod.replace('/', '-'),
    uid: applicationUid,
    cwd: join(scratch, 'application'),
    env: { PATH: searchPath, HOME: '/' },
  };
}

/** Copies the folder and starts every program; returns when each port of their pods takes connections. */
export async function startOwnPrograms(
  sandbox: Sandbox,
  pods: readonly PlannedPod[],
  { folder, commands }: OwnPrograms,
): Promise<void> {
  await cp(folder, join(sandbox.folder, 'application'), { recursive: true });
  await sandbox.must(['chmod', '-R', 'a+rX', join(scratch, 'application')]);
  const started = Object.entries(commands).flatMap(([key, list]) => {
    const pod = pods.find(({ namespace, name }) => `${namespace}/${name}` === key);
    return pod === undefined ? [] : list.map((argv, index) => startProgramOf(sandbox, pod, argv, index));
  });
  await Promise.all(started);
}

async function startProgramOf(
  sandbox: Sandbox,
  { namespace, name, network, ports }: PlannedPod,
  argv: readonly string[],
  index: number,
): Promise<void> {
  const place = applicationPlace(`${namespace}/${name}`);
  const output = join(sandbox.folder, `${network}-application-${index}.log`);
  const program = await sandbox.start(argv, output, place);
  const waiting = ports.map(async ({ port }) => {
    const probe = async (): Promise<true | undefined> => {
      if (program.exitCode !== undefined) {
        throw new Error(`"${argv.join(' ')}" of ${namespace}/${name} ended: ${await readFile(output, 'utf8')}`);
      }
      const { exitCode } = await sandbox.run(['bash', '-c', `: < /dev/tcp/127.0.0.1/${port}`], place);
      return exitCode === 0 ? true : undefined;
    };
    const otherwise = async (): Promise<string> =>
      `nothing listens on port ${port} of ${namespace}/${name}: ${await readFile(output, 'utf8')}`;
    await until(probe, { timeoutMs: 90_000, everyMs: 50, otherwise });
  });
  await Promise.all(waiting);
}
