import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { delay } from '../../src/lib/abort.ts';
import type { RunResult } from '../../src/testbed/program.ts';
import { scratch } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import { createMeshCa, type MeshCa } from '../../src/testing/certificates.ts';
import { clientProgram } from './application.ts';
import type { Engine } from './engine.ts';
import { identityFiles, identitySecret } from './identity-secret.ts';
import { changeVolume, makeVolumes, type VolumeSources } from './kubelet-volumes.ts';
import { playedPod } from './played-pod.ts';
import { type Container, type Hook, type PodManifest, type Probe, readManifest } from './pod-manifest.ts';

/** Addresses of the bridge that pods hang on, and of the pod. */
export const bridgeIp = '10.91.7.1';
export const podIp = '10.91.7.2';

/** Name of the service of meshd; whatever serves it is where the bridge is. */
const authorityHost = 'meshd.mesh-system.svc';

/** The part of podman's words for a container's state that tests read; times in RFC 3339 with nanoseconds. */
interface ContainerState {
  readonly ExitCode: number;
  readonly StartedAt: string;
  readonly FinishedAt: string;
}

/** A pod that podman runs, with what a kubelet would do beside it. */
export class PlayedPod {
  readonly #engine: Engine;
  readonly #pod: PodManifest;
  readonly #ca: MeshCa;
  /** Folder with a folder for each volume. */
  readonly #volumes: string;
  readonly #identities = new Map<string, Promise<string>>();

  private constructor(engine: Engine, pod: PodManifest, ca: MeshCa, volumes: string) {
    this.#engine = engine;
    this.#pod = pod;
    this.#ca = ca;
    this.#volumes = volumes;
  }

  /** Makes its volumes, of the objects of `deploy` and what `more` has, and plays it. A network `pods` has to be there. */
  static async play(engine: Engine, pod: PodManifest, more: Partial<VolumeSources> = {}): Promise<PlayedPod> {
    const ca = await createMeshCa();
    const volumes = await mkdtemp(join(engine.sandbox.folder, 'volumes-'));
    const it = new PlayedPod(engine, pod, ca, volumes);
    const objects = [...readManifest('mesh.yaml'), await identitySecret(ca), ...(more.objects ?? [])];
    await makeVolumes(volumes, { ...more, pod, objects });
    const played = playedPod(pod, {
      podIp,
      hostIp: bridgeIp,
      volumes: join(scratch, basename(volumes)),
      hosts: { [authorityHost]: bridgeIp },
    });
    await writeFile(join(engine.sandbox.folder, 'pod.json'), JSON.stringify(played));
    await writeFile(join(engine.sandbox.folder, 'client.mjs'), clientProgram);
    const network = ['--network', 'pods', '--ip', podIp];
    await engine.podman('kube', 'play', '--start=false', ...network, `${scratch}/pod.json`);
    await it.#start();
    return it;
  }

  /** Makes a request from outside the pod, as the service account of that name or without a certificate. */
  async request(method: string, url: string, account?: string): Promise<string> {
    const identity = account === undefined ? '-' : await this.#identityOf(account);
    return (await this.#engine.sandbox.must([node, `${scratch}/client.mjs`, method, url, identity])).trim();
  }

  /** Asks once, as a kubelet does from its host: the status. */
  async probe({ httpGet: { path, port } }: Probe): Promise<number> {
    const url = `http://${podIp}:${port}${path}`;
    const { stdout } = await this.#engine.sandbox.run(['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', url]);
    return Number(stdout);
  }

  /** Asks until the answer is 200. */
  async untilProbed(probe: Probe): Promise<void> {
    await until(async () => ((await this.probe(probe)) === 200 ? true : undefined), {
      timeoutMs: 60_000,
      everyMs: 100,
      otherwise: () => this.logs('mesh-proxy'),
    });
  }

  execute(container: string, ...command: readonly string[]): Promise<RunResult> {
    return this.#engine.tryPodman('exec', this.#nameOf(container), ...command);
  }

  container(name: string): Container {
    const all = [...this.#pod.spec.initContainers, ...this.#pod.spec.containers];
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the pod has no container "${name}"`);
    return found;
  }

  /** Changes files of a volume as a kubelet does. */
  change(volume: string, files: Readonly<Record<string, string>>): Promise<void> {
    return changeVolume(this.#volumes, volume, files, this.#pod);
  }

  /** A file of a volume as it is. */
  file(volume: string, name: string): Promise<string> {
    return readFile(join(this.#volumes, volume, name), 'utf8');
  }

  async logs(container: string): Promise<string> {
    const { stdout, stderr } = await this.#engine.tryPodman('logs', this.#nameOf(container));
    return stdout + stderr;
  }

  /**
   * Ends the pod as a kubelet does: each container gets its hook before the stop, then SIGTERM, and SIGKILL when the grace
   * period is over; those among the init containers that stay get their SIGTERM when the others have ended. Gives the
   * exit codes of all.
   */
  async stop(): Promise<Readonly<Record<string, number>>> {
    const { initContainers, containers } = this.#pod.spec;
    const ended = Promise.all(containers.map((container) => this.#end(container)));
    await Promise.all([ended, ...initContainers.filter(stays).map((container) => this.#end(container, ended))]);
    const states = [...initContainers, ...containers].map(async ({ name }) => [name, await this.state(name)] as const);
    return Object.fromEntries((await Promise.all(states)).map(([name, { ExitCode }]) => [name, ExitCode]));
  }

  /** What podman knows of a container. */
  async state(container: string): Promise<ContainerState> {
    const text = await this.#engine.podman('inspect', '--format', '{{json .State}}', this.#nameOf(container));
    return JSON.parse(text) as ContainerState;
  }

  async #end({ name, lifecycle }: Container, turn?: Promise<unknown>): Promise<void> {
    const hook = lifecycle?.preStop;
    if (hook?.sleep !== undefined) await delay(hook.sleep.seconds * 1000);
    else if (hook !== undefined) await this.#mustHook(name, hook);
    await turn;
    const grace = String(this.#pod.spec.terminationGracePeriodSeconds);
    await this.#engine.podman('stop', '--time', grace, this.#nameOf(name));
  }

  /** Starts its containers in the kubelet's order; throws when one that should end does not do so well. */
  async #start(): Promise<void> {
    const { initContainers, containers } = this.#pod.spec;
    for (const container of initContainers) {
      const { name, startupProbe } = container;
      await this.#engine.podman('start', ...(stays(container) ? [] : ['--attach']), this.#nameOf(name));
      if (startupProbe !== undefined) await this.untilProbed(startupProbe);
    }
    for (const { name, lifecycle } of containers) {
      await this.#engine.podman('start', this.#nameOf(name));
      if (lifecycle?.postStart !== undefined) await this.#mustHook(name, lifecycle.postStart);
    }
  }

  async #mustHook(container: string, { exec }: Hook): Promise<void> {
    const { exitCode, stderr } = await this.execute(container, ...(exec?.command ?? []));
    if (exitCode !== 0) throw new Error(`a hook of ${container}: exit ${exitCode}: ${stderr}`);
  }

  remove(): Promise<string> {
    return this.#engine.podman('pod', 'rm', '--force', '--time', '0', this.#pod.metadata.name);
  }

  /** Folder with the certificate of a service account; made once, for requests at the same time too. */
  #identityOf(account: string): Promise<string> {
    const known = this.#identities.get(account);
    if (known !== undefined) return known;
    const made = this.#makeIdentity(account);
    this.#identities.set(account, made);
    return made;
  }

  async #makeIdentity(account: string): Promise<string> {
    const folder = await mkdtemp(join(this.#engine.sandbox.folder, `${account}-`));
    for (const [name, text] of Object.entries(await identityFiles(this.#ca, account)))
      await writeFile(join(folder, name), text);
    return join(scratch, basename(folder));
  }

  #nameOf(container: string): string {
    return `${this.#pod.metadata.name}-${container}`;
  }
}

function stays({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
