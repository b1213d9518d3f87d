import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientIdentity } from './client-identities.ts';
import type { Seen } from './delta-client.ts';
import type { CrowdCommand, CrowdReport } from './delta-crowd.ts';

const pollMs = 100;

/** Clients in processes of their own, beside the one that measures. */
export class Crowd {
  readonly #children: readonly ChildProcess[];
  #running: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
    this.#running = children;
  }

  /** One process for each list of clients. */
  static async create(parts: readonly (readonly ClientIdentity[])[]): Promise<Crowd> {
    const crowd = new Crowd(parts.map(() => fork(resolve('bench/delta-crowd.ts'))));
    await Promise.all(crowd.#children.map((child, i) => told(child, { name: 'make', identities: parts[i] ?? [] })));
    return crowd;
  }

  tell(name: Exclude<CrowdCommand['name'], 'make'>): Promise<readonly CrowdReport[]> {
    return Promise.all(this.#children.map((child) => told(child, { name })));
  }

  /** Waits until the reports of all but the stopped processes fulfil a condition, for at most `ms`. */
  async until(isDone: (all: readonly CrowdReport[]) => boolean, ms: number): Promise<readonly CrowdReport[]> {
    const end = performance.now() + ms;
    for (;;) {
      const reports = await Promise.all(this.#running.map((child) => told(child, { name: 'report' })));
      if (isDone(reports)) return reports;
      if (performance.now() > end) throw new Error(`not reached after ${ms} ms: ${summary(reports)}`);
      await delay(pollMs);
    }
  }

  async countAnew(): Promise<void> {
    await Promise.all(this.#running.map((child) => told(child, { name: 'countAnew' })));
  }

  /** The clients of the first process read nothing any more. */
  stopFirst(): void {
    this.#children[0]?.kill('SIGSTOP');
    this.#running = this.#children.slice(1);
  }

  resumeFirst(): void {
    this.#children[0]?.kill('SIGCONT');
    this.#running = this.#children;
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

export function seenOf(reports: readonly CrowdReport[]): readonly Seen[] {
  return reports.flatMap(({ seen }) => seen);
}

function summary(reports: readonly CrowdReport[]): string {
  const seen = seenOf(reports);
  const settled = reports.reduce((sum, report) => sum + report.settled, 0);
  return `${seen.length} clients, ${settled} settled, ${seen.filter((it) => it.endpointResponses > 0).length} with endpoints`;
}

async function told(child: ChildProcess, command: CrowdCommand): Promise<CrowdReport> {
  const answer = once(child, 'message');
  child.send(command);
  const [report] = (await answer) as [CrowdReport];
  return report;
}
