import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssuedCertificate } from '../testing/certificates.ts';
import type { PlannedPod } from './floor-plan.ts';
import type { RunningProgram } from './program.ts';
import { repository, type Sandbox, scratch } from './sandbox.ts';
import { until } from './until.ts';

export interface SidecarOptions {
  readonly certificate: IssuedCertificate;
  /** Files and folders with topology and policies. */
  readonly policies: readonly string[];
  readonly meshConfigFile: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One sidecar or gateway: `pilot-agent proxy` and its Envoy, as the proxy's uid in the pod's network namespace. */
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
export const node = `${repository}/.tools/bin/node24`;

/** Envoy needs the capability to take connections to any address, and keeps it although it is not root. */
const asProxyWithNetAdmin = [
  ...['setpriv', `--reuid=${proxyUid}`, `--regid=${proxyUid}`, '--clear-groups'],
  ...['--inh-caps=+net_admin', '--ambient-caps=+net_admin'],
];

const readyTimeoutMs = 30_000;

/** Writes the proxy's identity and starts its agent; does not wait for it. */
export async function startSidecar(sandbox: Sandbox, pod: PlannedPod, options: SidecarOptions): Promise<Sidecar> {
  const home = join(scratch, pod.network);
  await writeIdentity(sandbox, home, options.certificate);
  const isTproxy = pod.interceptionMode === 'TPROXY';
  const argv = [
    ...(isTproxy ? asProxyWithNetAdmin : []),
    ...[node, `${repository}/dist/pilot-agent.js`, 'proxy', pod.isRouter ? 'router' : 'sidecar'],
    ...['--id', `${pod.name}.${pod.namespace}`, '--meshConfig', options.meshConfigFile],
    ...['--proxyBinary', process.env.ENVOY_BINARY ?? `${repository}/.tools/bin/envoy`, '--concurrency', '1'],
    ...['--policies', ...options.policies],
  ];
  const env = {
    POD_NAME: pod.name,
    POD_NAMESPACE: pod.namespace,
    PROV_CERT: join(home, 'certs'),
    TERMINATION_DRAIN_DURATION_SECONDS: '1',
    ...options.env,
  };
  const place = { network: pod.network, uid: isTproxy ? 0 : proxyUid, cwd: home, env };
  const program = await sandbox.start(argv, join(sandbox.folder, `${pod.network}.log`), place);
  return new RunningSidecar(sandbox, pod, home, program);
}

/** The folder that PROV_CERT names, the key readable by the proxy alone. */
async function writeIdentity(sandbox: Sandbox, home: string, certificate: IssuedCertificate): Promise<void> {
  const files = {
    'cert-chain.pem': certificate.certificateChain,
    'key.pem': certificate.privateKey,
    'root-cert.pem': certificate.rootCertificate,
  };
  const lines = Object.entries(files).map(([name, text]) => `cat > certs/${name} <<'PEM'\n${text}PEM\n`);
  const script = `umask 077; mkdir -p ${home}/certs; cd ${home}\n${lines.join('')}chown -R ${proxyUid}:${proxyUid} .\nchmod 755 .`;
  await sandbox.must(['sh', '-e'], { stdin: script });
}

class RunningSidecar implements Sidecar {
  readonly pod: PlannedPod;
  readonly program: RunningProgram;
  readonly #sandbox: Sandbox;
  readonly #home: string;

  constructor(sandbox: Sandbox, pod: PlannedPod, home: string, program: RunningProgram) {
    this.#sandbox = sandbox;
    this.#home = home;
    this.pod = pod;
    this.program = program;
  }

  async ready(): Promise<void> {
    const argv = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', 'http://127.0.0.1:15020/healthz/ready'];
    const isReady = async (): Promise<true | undefined> => {
      if (this.program.exitCode !== undefined) throw new Error(await this.#lastWords('ended'));
      const { stdout } = await this.#sandbox.run(argv, { network: this.pod.network, timeoutMs: 5_000 });
      return stdout === '200' ? true : undefined;
    };
    const otherwise = (): Promise<string> => this.#lastWords('is not ready');
    await until(isReady, { timeoutMs: readyTimeoutMs, everyMs: 50, otherwise });
  }

  async admin(method: 'GET' | 'POST', path: string): Promise<string> {
    const argv = ['curl', '-sS', '-m', '5', '-X', method, `http://127.0.0.1:15000${path}`];
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
