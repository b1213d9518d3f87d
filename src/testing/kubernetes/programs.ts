import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** Servers that `scripts/backends/build.sh` builds. */
export type BuiltProgram = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl';

const repository = resolve(import.meta.dirname, '../../..');

let built: Promise<unknown> | undefined;

/** Path of a program; while another process builds it, this waits. Without Go, or its modules, it throws and says why. */
export async function builtProgram(name: BuiltProgram): Promise<string> {
  built ??= promisify(execFile)(`${repository}/scripts/backends/build.sh`, { maxBuffer: 64 << 20 });
  try {
    await built;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`there is no ${name}, and it could not be built: ${stderr.trim().slice(-2_000)}`);
  }
  return `${repository}/.tools/bin/${name}`;
}
