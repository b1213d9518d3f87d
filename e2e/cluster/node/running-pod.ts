import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { delay } from '../../../src/lib/abort.ts';
import { podScript } from '../../../src/testbed/network.ts';
import { until } from '../../../src/testbed/until.ts';
import type { Cluster } from '../../../src/testing/kubernetes/cluster.ts';
import { Container, type PodPlace, unmountScript } from './container.ts';
import {
  type ContainerOfPod,
  type HookOfContainer,
  type PodOnServer,
  type ProbeOfContainer,
  stays,
} from './pod-object.ts';
import { makePodVolumes } from './pod-volumes.ts';

/** A pod that runs on a node, whatever runs it. */
export interface PodOnNode {
  readonly ip: string;
  /** Whether every container that has a readiness probe answers it. */
  isReady(): Promise<boolean>;
  /** Ends it as its manifest says; returns when nothing of it is left. */
  stop(): Promise<void>;
}

const startMs = 60_000;

/** A pod as processes in a network namespace: its containers are started, asked and ended in a kubelet's order. */
export class RunningPod implements PodOnNode {
  readonly ip: string;
  readonly pod: PodOnServer;
  readonly #place: PodPlace;
  readonly #containers = new Map<string, Container>();

  private constructor(pod: PodOnServer, place: PodPlace) {
    this.pod = pod;
    this.ip = place.ip;
    this.#place = place;
  }

  /** Returns when the last container has been started; throws where one that has to end does not do so well. */
  static async start(
    pod: PodOnServer,
    place: PodPlace,
    { cluster, index }: { readonly cluster: Cluster; readonly index: number },
  ): Promise<RunningPod> {
    const { sandbox, name, ip } = place;
    const it = new RunningPod(pod, place);
    const folder = join(sandbox.folder, name);
    await mkdir(folder);
    await makePodVolumes(join(folder, 'volumes'), pod, cluster);
    await sandbox.must(['sh', '-e'], { stdin: podScript({ network: name, ipv4: ip, ipv6: undefined }, index) });
    await it.#start();
    return it;
  }

  get network(): string {
    return this.#place.name;
  }

  async isReady(): Promise<boolean> {
    const probes = [...this.#containers.values()].flatMap(({ spec, isRunning }) =>
      spec.readinessProbe === undefined ? [] : [isRunning ? this.#probe(spec, spec.readinessProbe) : false],
    );
    return (await Promise.all(probes)).every((answer) => answer);
  }

  async stop(): Promise<void> {
    const { initContainers = [], containers } = this.pod.spec;
    const ended = Promise.all(containers.map(({ name }) => this.#end(name)));
    await Promise.all([ended, ...initContainers.filter(stays).map(({ name }) => this.#end(name, ended))]);
    const { sandbox, name } = this.#place;
    await sandbox.must(['sh', '-c', `${unmountScript(name)} && ip netns del ${name}`]);
  }

  /** What a container has written so far. */
  output(container: string): Promise<string> {
    return readFile(this.#containers.get(container)?.outputFile ?? '', 'utf8');
  }

  async #start(): Promise<void> {
    const { initContainers = [], containers } = this.pod.spec;
    for (const spec of [...initContainers, ...containers]) {
      const container = await Container.create(spec, this.pod, this.#place);
      this.#containers.set(spec.name, container);
      await container.start();
      const isInit = initContainers.includes(spec);
      if (isInit && !stays(spec)) {
        const exitCode = await container.exited;
        if (exitCode !== 0) throw new Error(`${spec.name}: exit ${exitCode}: ${await this.output(spec.name)}`);
      } else if (isInit && spec.startupProbe !== undefined) await this.#untilProbed(spec, spec.startupProbe);
      if (spec.lifecycle?.postStart !== undefined) await this.#mustHook(container, spec.lifecycle.postStart);
    }
  }

  /** The hook, then, when it is its turn, SIGTERM, and SIGKILL when the grace period is over. */
  async #end(name: string, turn?: Promise<unknown>): Promise<void> {
    const container = this.#containers.get(name);
    if (container === undefined || !container.isRunning) return;
    const hook = container.spec.lifecycle?.preStop;
    if (hook !== undefined) await this.#mustHook(container, hook);
    await turn;
    await container.signal('TERM');
    const over = delay(this.pod.spec.terminationGracePeriodSeconds * 1_000).then(() => container.signal('KILL'));
    await Promise.race([container.exited, over]);
  }

  async #mustHook(container: Container, { sleep, exec }: HookOfContainer): Promise<void> {
    if (sleep !== undefined) return delay(sleep.seconds * 1_000);
    const { exitCode, stderr } = await container.execute(exec?.command ?? []);
    if (exitCode !== 0) throw new Error(`a hook of ${container.spec.name}: exit ${exitCode}: ${stderr}`);
  }

  async #untilProbed(container: ContainerOfPod, probe: ProbeOfContainer): Promise<void> {
    const isThere = async (): Promise<true | undefined> => (await this.#probe(container, probe)) || undefined;
    await until(isThere, { timeoutMs: startMs, everyMs: 100, otherwise: () => this.output(container.name) });
  }

  /** From the node, as a kubelet asks. */
  async #probe({ ports = [] }: ContainerOfPod, { httpGet }: ProbeOfContainer): Promise<boolean> {
    const port = ports.find(({ name }) => name === httpGet.port)?.containerPort ?? httpGet.port;
    const url = `http://${this.ip}:${port}${httpGet.path}`;
    const argv = ['curl', '-s', '-m', '3', '-o', '/dev/null', '-w', '%{http_code}', url];
    return (await this.#place.sandbox.run(argv)).stdout === '200';
  }
}
