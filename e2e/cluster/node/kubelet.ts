import { delay } from '../../../src/lib/abort.ts';
import type { Cluster } from '../../../src/testing/kubernetes/cluster.ts';
import type { PodOnServer } from './pod-object.ts';
import type { PodOnNode } from './running-pod.ts';

export interface KubeletOptions {
  readonly cluster: Cluster;
  /** Starts a pod; returns when its containers are started. */
  readonly run: (pod: PodOnServer) => Promise<PodOnNode>;
}

interface Known {
  readonly pod: PodOnServer;
  readonly started: Promise<PodOnNode | undefined>;
  isEnding: boolean;
  /** As the API server was told. */
  isReady: boolean | undefined;
  /** When its probes were last asked. */
  askedAt: number;
}

const everyMs = 200;
/** A pod that was ready is asked again after so long: the shortest period that a manifest can name. */
const readyAgainMs = 1_000;

/** What a node does with the pods of an API server: runs each, says whether it is ready, and ends it when it is deleted. */
export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #pods = new Map<string, Known>();
  readonly #ending = new Set<Promise<void>>();
  readonly #problems: string[] = [];
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** What went wrong so far: a pod that could not be started or ended. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Looks at no pod any more; those that run go on. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
    await Promise.all(this.#ending);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        const { items } = await this.#options.cluster.api.must('GET', '/api/v1/pods');
        await Promise.all((items as PodOnServer[]).map((pod) => this.#look(pod)));
      } catch (error) {
        this.#note('the node', error);
      }
      await delay(everyMs);
    }
  }

  async #look(pod: PodOnServer): Promise<void> {
    const { uid, deletionTimestamp } = pod.metadata;
    let known = this.#pods.get(uid);
    if (known === undefined) {
      known = { pod, started: this.#begin(pod), isEnding: false, isReady: undefined, askedAt: 0 };
      this.#pods.set(uid, known);
    }
    if (deletionTimestamp !== undefined && !known.isEnding) {
      known.isEnding = true;
      const ending = this.#end(known).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    if (!known.isEnding) await this.#report(known);
  }

  async #begin(pod: PodOnServer): Promise<PodOnNode | undefined> {
    try {
      const binding = { metadata: { name: pod.metadata.name }, target: { kind: 'Node', name: 'node' } };
      const { spec } = await this.#options.cluster.api.must('GET', pathOf(pod));
      if (spec.nodeName === undefined) await this.#options.cluster.api.must('POST', `${pathOf(pod)}/binding`, binding);
      return await this.#options.run(pod);
    } catch (error) {
      this.#note(pathOf(pod), error);
      return undefined;
    }
  }

  /** Of a pod whose start has not ended nothing is said. */
  async #report(known: Known): Promise<void> {
    const node = await Promise.race([known.started, delay(1)]);
    if (node === undefined) return;
    if (known.isReady && performance.now() - known.askedAt < readyAgainMs) return;
    known.askedAt = performance.now();
    const isReady = await node.isReady();
    if (isReady === known.isReady) return;
    known.isReady = isReady;
    const lastTransitionTime = new Date().toISOString();
    const condition = (type: string) => ({ type, status: isReady ? 'True' : 'False', lastTransitionTime });
    const conditions = [condition('Ready'), condition('ContainersReady')];
    const status = { phase: 'Running', podIP: node.ip, podIPs: [{ ip: node.ip }], conditions };
    await this.#options.cluster.api.must(
      'PATCH',
      `${pathOf(known.pod)}/status`,
      { status },
      'application/merge-patch+json',
    );
  }

  async #end({ pod, started }: Known): Promise<void> {
    try {
      await (await started)?.stop();
      await this.#options.cluster.api.ask('DELETE', `${pathOf(pod)}?gracePeriodSeconds=0`);
    } catch (error) {
      this.#note(pathOf(pod), error);
    }
  }

  #note(where: string, error: unknown): void {
    this.#problems.push(`${where}: ${(error as Error).message}`);
  }
}

function pathOf({ metadata: { namespace, name } }: PodOnServer): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}
