import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { createMeshCa } from '../../../testing/certificates.ts';
import { eventually } from '../../../testing/eventually.ts';
import { isAlive } from '../../../testing/processes.ts';

const program = resolve(import.meta.dirname, '../../../../dist/pilot-agent.js');

/** Without root a network namespace needs a user namespace around it. */
const isRoot = process.getuid?.() === 0;

export interface StartOptions {
  readonly role?: 'sidecar' | 'router';
  /** After the role; `--id httpbin.foo --policies mesh` by default. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Shell commands that prepare the network namespace, where loopback is up. */
  readonly prepare?: string;
  /** A process whose network namespace is taken instead of a new one. */
  readonly namespaceOf?: number;
  /** Runs the agent in a PID namespace of its own, as the child of this command, or as PID 1 when it is empty. */
  readonly under?: readonly string[];
}

/** `pilot-agent proxy` as a process, in a network namespace of its own: the ports are the specification's. */
export class ProxyProgram {
  readonly folder: string;
  stdout = '';
  stderr = '';
  exit: Promise<number | null> = Promise.resolve(null);
  #process: ChildProcess | undefined;
  /** Process ids of the log count in a namespace of their own. */
  #hasOwnPids = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** A folder with `mesh/topology.yaml`, and `certs` of httpbin in foo. */
  static async create(topology: string): Promise<ProxyProgram> {
    const it = new ProxyProgram(await mkdtemp(join(tmpdir(), 'pilot-agent-')));
    await mkdir(join(it.folder, 'mesh'));
    await mkdir(join(it.folder, 'certs'));
    const issued = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    await it.write('certs/cert-chain.pem', issued.certificateChain);
    await it.write('certs/key.pem', issued.privateKey);
    await it.write('certs/root-cert.pem', issued.rootCertificate);
    await it.write('mesh/topology.yaml', topology);
    return it;
  }

  start(options: StartOptions = {}): void {
    const { role = 'sidecar', args = ['--policies', 'mesh'], environment = {}, prepare = 'true', under } = options;
    const script = `ip link set lo up && { ${prepare}\n} && exec "$@"`;
    const agent = [process.execPath, program, 'proxy', role, '--id', 'httpbin.foo', ...args];
    const pidNamespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
    const argv = under === undefined ? agent : [...pidNamespace, ...under, ...agent];
    const user = isRoot ? [] : ['--map-root-user'];
    const [enter, ...how] =
      options.namespaceOf === undefined
        ? ['unshare', '--net', ...user]
        : ['nsenter', '-t', String(options.namespaceOf), '-n', ...(isRoot ? [] : ['-U', '--preserve-credentials'])];
    this.#hasOwnPids = under !== undefined;
    this.stdout = '';
    this.stderr = '';
    const child = spawn(enter ?? 'unshare', [...how, 'sh', '-c', script, 'sh', ...argv], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, PROV_CERT: 'certs', TERMINATION_DRAIN_DURATION_SECONDS: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (text) => (this.stdout += text));
    child.stderr.on('data', (text) => (this.stderr += text));
    this.exit = once(child, 'close').then(([code]) => code as number | null);
    this.#process = child;
  }

  /** Of the agent. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  get envoyPid(): number | undefined {
    const [, text, json] = /Envoy started\tpid=(\d+)|"pid":(\d+),"msg":"Envoy started"/.exec(this.output) ?? [];
    const pid = text ?? json;
    return pid === undefined ? undefined : Number(pid);
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  async makeFolderOf(name: string): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
  }

  remove(name: string): Promise<void> {
    return rm(join(this.folder, name));
  }

  /** A file of the configuration that Envoy reads. */
  read(name: string): Promise<string> {
    return readFile(join(this.folder, 'etc/mesh/proxy', name), 'utf8');
  }

  /** A file of the program's folder. */
  readOwn(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  logged(text: string | RegExp): Promise<void> {
    return eventually(() => expect(this.output).toMatch(text), { interval: 20 });
  }

  /** It runs a moment before it is ready. */
  untilReady(statusPort = 15_020): Promise<void> {
    const status = (): number => this.curl(`http://127.0.0.1:${statusPort}/healthz/ready`).status;
    return eventually(() => expect(status()).toBe(200));
  }

  /** From inside the namespace; `code` is curl's exit code, 0 when an answer came. */
  curl(
    url: string,
    ...flags: readonly string[]
  ): { readonly status: number; readonly body: string; readonly code: number | null } {
    const { stdout, code } = this.run(['curl', '-s', '-m', '10', '-w', '\n%{http_code}', ...flags, url]);
    const end = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, Math.max(end, 0)), code };
  }

  /** A command inside the namespace, with nothing to read. */
  run(command: readonly string[]): { readonly stdout: string; readonly code: number | null } {
    const options = { maxBuffer: 2 ** 26, encoding: 'utf8', input: '' } as const;
    const { stdout, status: code } = spawnSync('nsenter', [...this.#inside(), ...command], options);
    return { stdout, code };
  }

  /** The same without waiting for it: what it wrote, once it has ended. */
  async runBeside(command: readonly string[]): Promise<string> {
    const options = { cwd: this.folder, maxBuffer: 2 ** 26 };
    return (await promisify(execFile)('nsenter', [...this.#inside(), ...command], options)).stdout;
  }

  #inside(): readonly string[] {
    return ['-t', String(this.pid), '-n', ...(isRoot ? [] : ['-U', '--preserve-credentials'])];
  }

  /** Nobody reads what the agent writes any more. */
  closeOutput(): void {
    this.#process?.stdout?.destroy();
    this.#process?.stderr?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** Ends what is left of the agent, of Envoy and of what `prepare` left running, and removes the folder. */
  async close(): Promise<void> {
    const isRunning = this.#process?.exitCode === null && this.#process.signalCode === null;
    const started = isRunning ? await childrenOf(this.pid) : [];
    if (isRunning) this.signal('SIGKILL');
    // The end of a PID namespace's first process is the end of all in it.
    for (const pid of [...started, this.#hasOwnPids ? 0 : (this.envoyPid ?? 0)]) kill(pid);
    await this.exit;
    // What was started beside the agent, and goes on after its end.
    for (const pid of await processesIn(this.folder)) kill(pid);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Direct children (proc(5)); Node starts them from its first thread. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Processes that work in the folder or below it. */
async function processesIn(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).map(Number).filter((id) => id > 1);
  const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, i) => folders[i] === folder || folders[i]?.startsWith(`${folder}/`));
}

/** Ends a process that there may be; 0 and 1 are nobody's. */
export function kill(pid: number): void {
  if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL');
}
