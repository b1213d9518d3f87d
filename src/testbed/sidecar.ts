import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadCertificate } from '../control/ca/temporary-authority.ts';
import type { PlannedPod } from './floor-plan.ts';
import type { RunningProgram } from './program.ts';
import { programFile } from './program-file.ts';
import { repository, type Sandbox, scratch } from './sandbox.ts';
import { until } from './until.ts';

/** What the platform gives a workload. */
export interface Provision {
  /** Files of its working directory, readable by the proxy alone. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags of its agent. */
  readonly flags?: readonly string[];
}

export interface SidecarOptions {
  readonly provision: Provision;
  /** Files and folders with topology and policies; none for an agent whose configuration is served. */
  readonly policies: readonly string[];
  readonly meshConfigFile: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One sidecar or gateway: `pilot-agent proxy` and its Envoy, or an Envoy alone, as the proxy's uid in the pod's network namespace. */
export interface Sidecar {
  readonly pod: PlannedPod;
  readonly program: RunningProgram;
  /** Returns when the status port says ready; throws with the agent's last words when it ends or does not become so. */
  ready(): Promise<void>;
  /** Envoy's admin interface; the body. */
  admin(method: 'GET' | 'POST', path: string): Promise<string>;
  /** Sum of the counters whose names match the regular expression. */
  counter(pattern: string): Promise<number>;
  /** A file of the folder that the agent compiled into; undefined when there is none. */
  configFile(name: string): Promise<string | undefined>;
  /** What agent and Envoy have written so far. */
  output(): Promise<string>;
}

/** Uid and gid of the proxy in every sidecar. */
export const proxyUid = 1337;

/** Node of the tool folder: it runs TypeScript as it is and starts fast. */
export const node = `${repository}/.tools/bin/node`;

export const envoyBinary = process.env.ENVOY_BINARY ?? `${repository}/.tools/bin/envoy`;

/** Envoy needs the capability to take connections to any address, and keeps it although it is not root. */
const asProxyWithNetAdmin = [
  ...['setpriv', `--reuid=${proxyUid}`, `--regid=${proxyUid}`, '--clear-groups'],
  ...['--inh-caps=+net_admin', '--ambient-caps=+net_admin'],
];

const readyTimeoutMs = 90_000;

/** A folder with this certificate, that PROV_CERT names. */
export function provisionCertificate(issued: WorkloadCertificate): Provision {
  const files = {
    'certs/cert-chain.pem': issued.certificateChain,
    'certs/key.pem': issued.privateKey,
    'certs/root-cert.pem': issued.rootCertificate,
  };
  return { files, env: { PROV_CERT: 'certs' } };
}

/** Writes what the platform gives and starts the agent; does not wait for it. */
export async function startSidecar(sandbox: Sandbox, pod: PlannedPod, options: SidecarOptions): Promise<Sidecar> {
  const { policies, provision } = options;
  const { files, env: given, flags = [] } = provision;
  const isTproxy = pod.interceptionMode === 'TPROXY';
  const argv = [
    ...(isTproxy ? asProxyWithNetAdmin : []),
    ...[node, programFile('pilot-agent'), 'proxy', pod.isRouter ? 'router' : 'sidecar'],
    ...['--id', `${pod.name}.${pod.namespace}`, '--meshConfig', options.meshConfigFile],
    ...['--proxyBinary', envoyBinary, '--concurrency', '1'],
    ...(policies.length === 0 ? [] : ['--policies', ...policies]),
    ...flags,
  ];
  const env = {
    POD_NAME: pod.name,
    POD_NAMESPACE: pod.namespace,
    TERMINATION_DRAIN_DURATION_SECONDS: '1',
    ...given,
    ...options.env,
  };
  const uid = isTproxy ? 0 : proxyUid;
  return startProxy(sandbox, pod, { files, argv, env, uid, readyUrl: 'http://127.0.0.1:15020/healthz/ready' });
}

/** The program of a proxy. */
export interface ProxyProgram {
  /** Files of its working directory, readable by the proxy alone. */
  readonly files: Provision['files'];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  /** Answers 200 once it is ready. */
  readonly readyUrl: string;
}

/** Writes the files and starts the program in the pod's network namespace; does not wait until it is ready. */
export async function startProxy(sandbox: Sandbox, pod: PlannedPod, proxy: ProxyProgram): Promise<Sidecar> {
  const { files, argv, env, uid, readyUrl } = proxy;
  const home = join(scratch, pod.network);
  await writeFiles(sandbox, home, files);
  const place = { network: pod.network, uid, cwd: home, env };
  const program = await sandbox.start(argv, join(sandbox.folder, `${pod.network}.log`), place);
  return new RunningSidecar({ sandbox, pod, home, program, readyUrl });
}

/** Makes the agent's working directory. */
async function writeFiles(sandbox: Sandbox, home: string, files: Provision['files']): Promise<void> {
  const lines = Object.entries(files).map(
    ([name, text]) => `mkdir -p "$(dirname ${name})"; cat > ${name} <<'END'\n${text.replace(/\n?$/, '\n')}END\n`,
  );
  const script = `umask 077; mkdir -p ${home}; cd ${home}\n${lines.join('')}chown -R ${proxyUid}:${proxyUid} .\nchmod 755 .`;
  await sandbox.must(['sh', '-e'], { stdin: script });
}

interface RunningSidecarParts extends Pick<Sidecar, 'pod' | 'program'>, Pick<ProxyProgram, 'readyUrl'> {
  readonly sandbox: Sandbox;
  readonly home: string;
}

class RunningSidecar implements Sidecar {
  readonly pod: PlannedPod;
  readonly program: RunningProgram;
  readonly #sandbox: Sandbox;
  readonly #home: string;
  readonly #readyUrl: string;

  constructor({ sandbox, pod, home, program, readyUrl }: RunningSidecarParts) {
    this.#sandbox = sandbox;
    this.#home = home;
    this.#readyUrl = readyUrl;
    this.pod = pod;
    this.program = program;
  }

  async ready(): Promise<void> {
    // Each question is a process of its own: asked more often, many of them would slow down what they ask for.
    const argv = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', this.#readyUrl];
    const isReady = async (): Promise<true | undefined> => {
      if (this.program.exitCode !== undefined) throw new Error(await this.#lastWords('ended'));
      const { stdout } = await this.#sandbox.run(argv, { network: this.pod.network, timeoutMs: 30_000 });
      return stdout === '200' ? true : undefined;
    };
    const otherwise = (): Promise<string> => this.#lastWords('is not ready');
    await until(isReady, { timeoutMs: readyTimeoutMs, everyMs: 200, otherwise });
  }

  async admin(method: 'GET' | 'POST', path: string): Promise<string> {
    const argv = ['curl', '-sS', '-m', '30', '-X', method, `http://127.0.0.1:15000${path}`];
    return this.#sandbox.must(argv, { network: this.pod.network });
  }

  async counter(pattern: string): Promise<number> {
    const text = await this.admin('GET', `/stats?filter=${encodeURIComponent(pattern)}`);
    return [...text.matchAll(/: (\d+)$/gm)].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async configFile(name: string): Promise<string | undefined> {
    const file = join(this.#home, 'etc/mesh/proxy', name);
    const { stdout, exitCode } = await this.#sandbox.run(['cat', file]);
    return exitCode === 0 ? stdout : undefined;
  }

  output(): Promise<string> {
    return readFile(this.program.output, 'utf8');
  }

  async #lastWords(what: string): Promise<string> {
    // Messages only: Envoy prints a configuration that it refuses, line by line.
    const all = (await this.output()).trimEnd().split('\n');
    const messages = all.filter((line) => /^\[?\d{4}-/.test(line));
    const lines = (messages.length > 0 ? messages : all).slice(-15).map((line) => line.slice(0, 1_000));
    return `the proxy of ${this.pod.namespace}/${this.pod.name} ${what}:\n${lines.join('\n')}`;
  }
}
