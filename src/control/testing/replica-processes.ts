import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, '../../../dist/meshd.js');

/** Where a replica is, and whom it serves. */
export interface ReplicaOptions {
  /** Its own, made if need be. */
  readonly folder: string;
  /** Of the authority that all replicas have; absent: it makes its own. */
  readonly authority?: string;
  /** Its authority is the one that is kept in the cluster. */
  readonly hasSharedAuthority?: true;
  readonly kubeconfig: string;
  readonly ports: { readonly secure: number; readonly monitoring: number };
  readonly environment?: Readonly<Record<string, string>>;
  readonly meshConfig?: string;
  /** Beside the usual ones. */
  readonly flags?: readonly string[];
}

/** `meshd serve --kubernetes` as a process of its own. */
export class ReplicaProcess {
  readonly port: number;
  readonly socket: string;
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #output = '';

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.port = options.ports.secure;
    this.socket = join(options.folder, 'meshd.sock');
  }

  async start(): Promise<void> {
    const { folder, authority, kubeconfig, ports, environment, meshConfig, flags: more = [] } = this.#options;
    await mkdir(folder, { recursive: true });
    if (authority !== undefined) await cp(authority, join(folder, 'ca'), { recursive: true });
    if (meshConfig !== undefined) await writeFile(join(folder, 'mesh.yaml'), meshConfig);
    const flags = {
      ...{ listen: `127.0.0.1:${ports.secure}`, monitoringAddr: `127.0.0.1:${ports.monitoring}`, kubeconfig },
      ...{ stateFolder: 'state', debugSocket: this.socket },
      ...(this.#options.hasSharedAuthority !== true && { caFolder: 'ca' }),
      ...(meshConfig !== undefined && { meshConfig: 'mesh.yaml' }),
    };
    const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    this.#child = spawn(process.execPath, [program, 'serve', '--kubernetes', '--anyProxyAddress', ...words, ...more], {
      cwd: folder,
      env: { ...process.env, DNS_ADDR: '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.#output += text;
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  /** Stops it, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Returns when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
