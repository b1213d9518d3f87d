import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** Servers that `scripts/backends/build.sh` builds. */
export type BuiltProgram = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'helm' | 'consul';

/** Where the programs are built. */
export interface BuildPlace {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
}

const ours: BuildPlace = { checkout: resolve(import.meta.dirname, '../../..'), environment: process.env };

const built = new Map<string, Promise<unknown>>();

const ofKubernetes: ReadonlySet<BuiltProgram> = new Set(['kube-apiserver', 'kube-controller-manager', 'kubectl']);

/** Path of a program; while another process builds it, this waits. Without Go, or its modules, it throws and says why. */
export async function builtProgram(name: BuiltProgram, { checkout, environment }: BuildPlace = ours): Promise<string> {
  const options = { maxBuffer: 64 << 20, env: environment };
  const module = ofKubernetes.has(name) ? 'kubernetes' : name;
  const key = `${checkout} ${module}`;
  const building = built.get(key) ?? promisify(execFile)(`${checkout}/scripts/backends/build.sh`, [module], options);
  built.set(key, building);
  try {
    await building;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`there is no ${name}, and it could not be built: ${stderr.trim().slice(-2_000)}`);
  }
  return `${checkout}/.tools/bin/${name}`;
}
