import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ReplicaProcess } from '../../../src/control/testing/replica-processes.ts';
import { freePorts } from '../../../src/testing/free-ports.ts';
import type { Cluster } from '../../../src/testing/kubernetes/cluster.ts';
import type { PodOnServer } from './pod-object.ts';
import type { PodOnNode } from './running-pod.ts';

/** A pod of the control plane as a process on this machine's loopback, with the flags and variables of its manifest. */
export class MeshdPod implements PodOnNode {
  /** Nobody calls it there: {@link ports} are where it is. */
  readonly ip = '192.0.2.10';
  readonly revision: string;
  /** Of this machine's loopback, by the ports of its manifest. */
  readonly ports: Readonly<Record<15012 | 15014 | 15017, number>>;
  readonly #process: ReplicaProcess;
  #wasReady = false;

  private constructor(revision: string, ports: MeshdPod['ports'], process: ReplicaProcess) {
    this.revision = revision;
    this.ports = ports;
    this.#process = process;
  }

  static async start({ metadata, spec }: PodOnServer, cluster: Cluster): Promise<MeshdPod> {
    const { namespace, uid } = metadata;
    const [container] = spec.containers;
    const flagOf = (name: string): string =>
      container?.args?.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
    const revision = flagOf('revision');
    const [secure = 0, monitoring = 0, webhook = 0] = await freePorts(3);
    const settings = spec.volumes?.find(({ name }) => name === 'settings')?.configMap?.name;
    const { data } = await cluster.api.must('GET', `/api/v1/namespaces/${namespace}/configmaps/${settings}`);
    const process = new ReplicaProcess({
      ...{ folder: join(cluster.folder, `meshd-${uid}`), ports: { secure, monitoring }, hasSharedAuthority: true },
      kubeconfig: cluster.kubeconfig(`meshd-${uid}`, await cluster.accountToken(namespace, spec.serviceAccountName)),
      environment: Object.fromEntries((container?.env ?? []).map(({ name, value = namespace }) => [name, value])),
      meshConfig: data.mesh,
      flags: [
        ...['--webhookAddr', `127.0.0.1:${webhook}`, '--revision', revision],
        ...['--validationWebhook', flagOf('validationWebhook')],
      ],
    });
    await process.start();
    return new MeshdPod(revision, { 15012: secure, 15014: monitoring, 15017: webhook }, process);
  }

  async isReady(): Promise<boolean> {
    try {
      const { ok } = await fetch(`http://127.0.0.1:${this.ports[15014]}/healthz/ready`);
      this.#wasReady ||= ok;
      return ok;
    } catch {
      // It does not listen yet.
      return false;
    }
  }

  /** Whether clients were led to it. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** The file of its debug socket. */
  get socket(): string {
    return this.#process.socket;
  }

  /** What its debug socket answers. */
  async ask<T>(path: string): Promise<T> {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request({ socketPath: this.#process.socket, path }, (response) => resolve(text(response)));
      sent.on('error', reject).end();
    });
    return JSON.parse(answer) as T;
  }

  stop(): Promise<void> {
    return this.#process.end('SIGTERM');
  }

  get output(): string {
    return this.#process.output;
  }
}
