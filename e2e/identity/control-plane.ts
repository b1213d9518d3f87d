import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTokenMint, type TokenMint } from '../../src/control/testing/token-mint.ts';
import { applicationUid } from '../../src/testbed/curl.ts';
import { pod, service } from '../../src/testbed/mesh-objects.ts';
import type { RunningProgram } from '../../src/testbed/program.ts';
import { programFile } from '../../src/testbed/program-file.ts';
import { type Sandbox, scratch } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';

/** Pod and service of the control plane, as a topology names them: `meshd` in `mesh-system`. */
export const controlPlaneObjects: readonly object[] = [
  pod({ namespace: 'mesh-system', name: 'meshd', index: 5, hasSidecar: false }),
  service({ namespace: 'mesh-system', name: 'meshd', index: 5, ports: { 'grpc-ca': 15_012 } }),
];

/** CA_ADDR of the workloads. */
export const authorityAddress = 'meshd.mesh-system.svc:15012';

/** One line of its audit: a certificate that was issued. */
export interface IssuedLine {
  readonly identity: string;
  readonly serial: string;
  readonly by: string;
}

/** What a control plane is given at its start. */
export interface ControlPlaneOptions {
  /** Name of its pod, of its folder and of its log; `meshd` when absent. */
  readonly name?: string;
  /** Files of its authority, by name; it makes a root of its own when absent. */
  readonly authority?: Readonly<Record<string, string>>;
  /** Further flags. */
  readonly flags?: readonly string[];
  /** Variables of every start. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `meshd serve` as a program in the pod of the control plane; its authority is in the folder `ca` of its own folder. */
export class ControlPlane {
  readonly mint: TokenMint = createTokenMint();
  readonly #sandbox: Sandbox;
  readonly #flags: readonly string[];
  readonly #name: string;
  readonly #env: Readonly<Record<string, string>>;
  #program: RunningProgram | undefined;
  #startedAt = 0;
  #isFrozen = false;

  private constructor(sandbox: Sandbox, { name = 'meshd', flags = [], env = {} }: ControlPlaneOptions) {
    this.#sandbox = sandbox;
    this.#flags = flags;
    this.#name = name;
    this.#env = env;
  }

  /** Makes the folder; starts nothing. */
  static async create(sandbox: Sandbox, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const { authority = {} } = options;
    const it = new ControlPlane(sandbox, options);
    await it.write('keys.json', it.mint.keySet);
    await it.#shell('mkdir -p ca');
    for (const [name, text] of Object.entries(authority)) await it.write(`ca/${name}`, text);
    return it;
  }

  /** Returns when it signs. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.launch(env);
    const serves = async (): Promise<true | undefined> => {
      if (this.#program?.exitCode !== undefined) throw new Error(`meshd ended: ${await this.output()}`);
      return (await this.output()).includes('serving gRPC over TLS') ? true : undefined;
    };
    await until(serves, { timeoutMs: 90_000, otherwise: () => this.output() });
  }

  /** Does not wait for it; gives the program. */
  async launch(env: Readonly<Record<string, string>> = {}): Promise<RunningProgram> {
    const { issuer } = this.mint;
    const argv = [node, programFile('meshd'), 'serve', '--tokenKeys', 'keys.json', '--tokenIssuer', issuer];
    const place = { network: this.network, uid: applicationUid, cwd: this.home, env: { ...this.#env, ...env } };
    this.#startedAt = (await this.allOutput()).length;
    this.#isFrozen = false;
    this.#program = await this.#sandbox.start(
      [...argv, '--caFolder', 'ca', '--log_as_json', ...this.#flags],
      this.log,
      place,
    );
    return this.#program;
  }

  /** Its network namespace. */
  get network(): string {
    return `mesh-system-${this.#name}`;
  }

  /** It runs, and is not stopped. */
  get isServing(): boolean {
    return this.#program !== undefined && this.#program.exitCode === undefined && !this.#isFrozen;
  }

  /** Process id inside the sandbox, of the one that was started last. */
  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  /** SIGKILL; returns when it is gone. */
  async kill(): Promise<void> {
    await this.#program?.signal('KILL');
    await this.#program?.exited;
  }

  /** SIGSTOP: connections are taken by the kernel, and nobody answers. */
  async freeze(): Promise<void> {
    this.#isFrozen = true;
    await this.#program?.signal('STOP');
  }

  async thaw(): Promise<void> {
    await this.#program?.signal('CONT');
    this.#isFrozen = false;
  }

  /** Writes a file of its folder by a rename. */
  async write(name: string, text: string): Promise<void> {
    await this.#shell(`mkdir -p "$(dirname ${name})"; cat > ${name}.new; mv ${name}.new ${name}`, text);
  }

  /** Root of the CA that it made itself. */
  root(): Promise<string> {
    return this.#shell('cat ca/self-signed-root.pem');
  }

  /** What it has written since it was started last. */
  async output(): Promise<string> {
    return (await this.allOutput()).slice(this.#startedAt);
  }

  allOutput(): Promise<string> {
    return readFile(this.log, 'utf8').catch(() => '');
  }

  /** All certificates that were issued, also before a restart. */
  async issued(): Promise<readonly IssuedLine[]> {
    const lines = (await this.allOutput()).split('\n').filter((line) => line.includes('"certificate issued"'));
    return lines.map((line) => JSON.parse(line) as IssuedLine);
  }

  /** File that its output goes to. */
  get log(): string {
    return join(this.#sandbox.folder, `${this.#name}.log`);
  }

  /** Its folder, as programs of the sandbox find it. */
  get home(): string {
    return join(scratch, this.#name);
  }

  #shell(script: string, stdin = ''): Promise<string> {
    const prepared = `umask 077; mkdir -p ${this.home}; cd ${this.home}\n${script}\nchown -R ${applicationUid}:${applicationUid} .`;
    return this.#sandbox.must(['sh', '-ec', prepared], { stdin });
  }
}
