import { join } from 'node:path';
import type { RunningProgram, RunResult } from '../../../src/testbed/program.ts';
import { repository, type Sandbox, scratch } from '../../../src/testbed/sandbox.ts';
import { imageOf } from './images.ts';
import type { ContainerOfPod, PodOnServer } from './pod-object.ts';

/** Where a pod is: names of its folder, below the sandbox's, and of its network; its address and that of its node. */
export interface PodPlace {
  readonly sandbox: Sandbox;
  readonly name: string;
  readonly ip: string;
  readonly hostIp: string;
}

/** A container whose files, user, capabilities, variables and arguments are those of its manifest. */
export class Container {
  readonly spec: ContainerOfPod;
  readonly #place: PodPlace;
  readonly #enter: readonly string[];
  #program: RunningProgram | undefined;

  private constructor(spec: ContainerOfPod, place: PodPlace, enter: readonly string[]) {
    this.spec = spec;
    this.#place = place;
    this.#enter = enter;
  }

  /** Makes its files; starts nothing. */
  static async create(spec: ContainerOfPod, pod: PodOnServer, place: PodPlace): Promise<Container> {
    const root = `${roots}/${place.name}/${spec.name}`;
    await place.sandbox.must(['sh', '-e'], { stdin: rootScript(root, spec, place) });
    const image = imageOf(spec.image);
    const variables = { ...image.env, ...variablesOf(spec, pod, place) };
    const env = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return new Container(spec, place, ['chroot', root, ...identity(spec, image.user), 'env', '-i', ...env]);
  }

  /** Does not wait for anything. */
  async start(): Promise<void> {
    const { command, args = [], name } = this.spec;
    const given = [...(command ?? imageOf(this.spec.image).entrypoint), ...args];
    const { sandbox, name: network } = this.#place;
    const argv = [...this.#enter, ...given.map((word) => expand(word, this.#enter))];
    this.#program = await sandbox.start(argv, join(sandbox.folder, `${network}-${name}.log`), { network });
  }

  get exited(): Promise<number> {
    return this.#program?.exited ?? Promise.resolve(0);
  }

  get isRunning(): boolean {
    return this.#program !== undefined && this.#program.exitCode === undefined;
  }

  /** Runs a command beside its program. */
  execute(command: readonly string[]): Promise<RunResult> {
    const { sandbox, name: network } = this.#place;
    return sandbox.run([...this.#enter, ...command], { network });
  }

  async signal(name: 'TERM' | 'KILL'): Promise<void> {
    await this.#program?.signal(name);
  }

  get outputFile(): string {
    return join(this.#place.sandbox.folder, `${this.#place.name}-${this.spec.name}.log`);
  }
}

const roots = '/run/roots';

/** Once a sandbox. */
export const rootsScript = `mkdir ${roots}`;

/**
 * Takes away the file systems of all containers of a pod. Nothing is deleted, only unmounted: below a root are mounts of this
 * machine's own files.
 */
export function unmountScript(pod: string): string {
  return `for root in ${roots}/${pod}/*; do umount --lazy "$root" && rmdir "$root"; done; rmdir ${roots}/${pod}`;
}

/** Of the machine: devices that every container has. */
const devices = ['null', 'zero', 'full', 'random', 'urandom'];

/**
 * The file system of a container, in memory: the programs of this machine (/usr, read-only) in the place of an image, those of
 * this repository below /run/image, and the volumes that the manifest names.
 */
function rootScript(root: string, { volumeMounts = [] }: ContainerOfPod, { name }: PodPlace): string {
  const mounts = volumeMounts.map(({ name: volume, mountPath, readOnly }) => {
    // The link of an image leads out of it here.
    const path = root + mountPath.replace(/^\/var\/run(?=\/|$)/, '/run');
    const bind = `mkdir -p '${path}'; mount --bind '${scratch}/${name}/volumes/${volume}' '${path}'`;
    return readOnly === true ? `${bind}; mount -o remount,bind,ro '${path}'` : bind;
  });
  return `mkdir -p ${root}
mount -t tmpfs -o mode=755 tmpfs ${root}
cd ${root}
mkdir -p usr proc dev/shm etc run/image/repository run/image/bin var tmp
chmod 1777 tmp dev/shm
ln -s /run var/run
for name in bin sbin lib lib64; do [ ! -L /$name ] || cp -a /$name .; done
mount --bind /usr usr
mount -o remount,bind,ro usr
mount --rbind /proc proc
for name in ${devices.join(' ')}; do : > dev/$name; mount --bind /dev/$name dev/$name; done
for name in passwd group nsswitch.conf ld.so.cache protocols alternatives; do [ ! -e /etc/$name ] || cp -a /etc/$name etc/; done
: > etc/hosts
mount --bind ${scratch}/hosts etc/hosts
mount --bind ${repository} run/image/repository
mount -o remount,bind,ro run/image/repository
printf '#!/bin/sh\nexec /run/image/repository/.tools/bin/node /run/image/repository/dist/pilot-agent.js "$@"\n' > run/image/bin/pilot-agent
chmod 755 run/image/bin/pilot-agent
ln -s /run/image/repository/.tools/bin/envoy /run/image/repository/.tools/bin/node run/image/bin/
${mounts.join('\n')}
`;
}

/** The user of the manifest, or else of the image, with those capabilities alone that the manifest leaves or adds. */
function identity({ securityContext = {} }: ContainerOfPod, imageUser: number): readonly string[] {
  const { runAsUser = imageUser, runAsGroup = runAsUser, capabilities = {} } = securityContext;
  const kept = capabilities.drop?.includes('ALL') ? [] : ['net_bind_service'];
  const added = [...kept, ...(capabilities.add ?? []).map((name) => name.toLowerCase())];
  const bounding = ['-all', ...added.map((name) => `+${name}`)].join();
  return [
    'setpriv',
    `--reuid=${runAsUser}`,
    `--regid=${runAsGroup}`,
    '--clear-groups',
    `--bounding-set=${bounding}`,
    '--inh-caps=-all',
  ];
}

function variablesOf(
  { env = [] }: ContainerOfPod,
  pod: PodOnServer,
  place: PodPlace,
): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'spec.serviceAccountName': pod.spec.serviceAccountName,
    'status.podIP': place.ip,
    'status.hostIP': place.hostIp,
  };
  const entries = env.map(({ name, value = '', valueFrom }) => {
    if (valueFrom === undefined) return [name, value] as const;
    const known = fields[valueFrom.fieldRef.fieldPath];
    if (known === undefined) throw new Error(`${name}: no field "${valueFrom.fieldRef.fieldPath}"`);
    return [name, known] as const;
  });
  return Object.fromEntries(entries);
}

/** `$(NAME)` in an argument is the variable, as a kubelet has it. */
function expand(word: string, enter: readonly string[]): string {
  return word.replace(/\$\((\w+)\)/g, (whole, name: string) => {
    const found = enter.find((each) => each.startsWith(`${name}=`));
    return found === undefined ? whole : found.slice(name.length + 1);
  });
}
