import { createHash } from 'node:crypto';
import type { KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal } from '../../kubernetes/kubernetes-error.ts';
import { type ApiObject, pathOf } from '../../kubernetes/resource-type.ts';
import { delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Attempts } from '../leader/attempts.ts';
import type { InputsReached } from '../push/distribution-tracker.ts';

/** Report of a replica about its proxies. */
export interface ReplicaReport {
  readonly identity: string;
  /** Digest of inputs, and how many streams have at most these; the oldest inputs first. */
  readonly progress: readonly (readonly [inputs: string, streams: number])[];
}

export interface ReplicaReportsOptions {
  readonly api: Pick<KubernetesApi, 'ask'>;
  readonly namespace: string;
  readonly identity: string;
  readonly log: PlainLog;
}

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Heard {
  readonly revision: string;
  readonly report: ReplicaReport | undefined;
  readonly atMs: number;
}

const type = { group: '', version: 'v1', resource: 'configmaps' };
const label = 'mesh.io/distribution-report';
/** A replica that has nothing new to tell tells it again. */
const againMs = 4_000;
/** A replica that is silent for so long is no more: its proxies are at others by then, and would be counted twice. */
const silentMs = 15_000;
const writeEveryMs = 1_000;
const readEveryMs = 1_000;
/** Whoever may lead next knows then since when another replica is silent. */
const listenEveryMs = 4_000;

/** Exchanges with other replicas which inputs their proxies have, in one ConfigMap for each replica. */
export class ReplicaReports {
  readonly #options: ReplicaReportsOptions;
  readonly #ended = new AbortController();
  readonly #name: string;
  readonly #folder: string;
  readonly #attempts: Attempts;
  #heard = new Map<string, Heard>();
  #readMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReplicaReportsOptions) {
    this.#options = options;
    this.#name = `meshd-distribution-${createHash('sha256').update(options.identity).digest('hex').slice(0, 16)}`;
    this.#folder = pathOf(type, options.namespace);
    this.#attempts = new Attempts(options.log, 'replicas cannot tell each other now which proxies have what');
  }

  /** Tells what `progress` gives, whenever it is something else, until `close`. */
  start(progress: () => readonly InputsReached[]): void {
    this.#running = this.#tellAll(progress);
  }

  /** What the other replicas told last. A replica that is silent for 15 s is forgotten, and what it told deleted. */
  async others(): Promise<readonly ReplicaReport[]> {
    await this.#readAfter(readEveryMs);
    return [...this.#heard.values()].flatMap(({ report }) => report ?? []);
  }

  /** This replica is no more: what it told is deleted. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    await this.#attempts.make(() => this.#delete(this.#name));
  }

  async #readAfter(ms: number): Promise<void> {
    if (performance.now() - this.#readMs < ms) return;
    this.#readMs = performance.now();
    await this.#attempts.make(() => this.#read());
  }

  async #tellAll(progress: () => readonly InputsReached[]): Promise<void> {
    const { signal } = this.#ended;
    let [told, toldMs] = ['', Number.NEGATIVE_INFINITY];
    for (; !signal.aborted; await delay(writeEveryMs, signal)) {
      await this.#readAfter(listenEveryMs);
      const rows = progress().map(({ inputs, streams }) => [inputs, streams] as const);
      const text = JSON.stringify(rows);
      if (text === told && performance.now() - toldMs < againMs) continue;
      const isDone = await this.#attempts.make(() => this.#write(rows));
      if (isDone) [told, toldMs] = [text, performance.now()];
    }
  }

  async #write(progress: ReplicaReport['progress']): Promise<void> {
    const report: ReplicaReport = { identity: this.#options.identity, progress };
    const body = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { name: this.#name, namespace: this.#options.namespace, labels: { [label]: 'true' } },
      data: { report: JSON.stringify(report), toldAt: new Date().toISOString() },
    };
    const path = `${this.#folder}/${this.#name}?fieldManager=meshd&force=true`;
    await this.#ask({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
  }

  async #read(): Promise<void> {
    const path = `${this.#folder}?labelSelector=${encodeURIComponent(`${label}=true`)}`;
    const { items = [] } = await this.#ask<{ readonly items?: readonly ConfigMap[] }>({ path });
    const nowMs = performance.now();
    const heard = new Map<string, Heard>();
    for (const { metadata, data } of items) {
      const { name, resourceVersion: revision = '' } = metadata;
      if (name === this.#name) continue;
      const before = this.#heard.get(name);
      const now = before?.revision === revision ? before : { revision, report: reportOf(data?.report), atMs: nowMs };
      if (nowMs - now.atMs > silentMs) await this.#delete(name);
      else heard.set(name, now);
    }
    this.#heard = heard;
  }

  async #delete(name: string): Promise<void> {
    try {
      await this.#ask({ method: 'DELETE', path: `${this.#folder}/${name}` });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) throw error;
    }
  }

  #ask<T>(request: Parameters<KubernetesApi['ask']>[0]): Promise<T> {
    return this.#options.api.ask<T>({ ...request, deadlineMs: 5_000 });
  }
}

/** Undefined: it is of a replica that tells it in another form, or of somebody else. */
function reportOf(text = ''): ReplicaReport | undefined {
  try {
    const { identity, progress } = JSON.parse(text) as Partial<ReplicaReport>;
    if (typeof identity !== 'string' || !Array.isArray(progress)) return undefined;
    const isRow = (row: unknown): boolean =>
      Array.isArray(row) && typeof row[0] === 'string' && Number.isSafeInteger(row[1]) && row[1] >= 0;
    return progress.every(isRow) ? { identity, progress } : undefined;
  } catch {
    return undefined;
  }
}
