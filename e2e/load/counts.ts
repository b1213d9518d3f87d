/** How a client uses connections: kept ones of HTTP/1.1, one of HTTP/2 for all, or a new one for each request. */
export type Manner = 'keep-alive' | 'http2' | 'new-connection';

export const manners: readonly Manner[] = ['keep-alive', 'http2', 'new-connection'];

/** What became of the requests of one manner. */
export interface MannerCounts {
  requests: number;
  failed: number;
  /** How many failed why: a status with the beginning of its body, or the name of a system error. */
  readonly reasons: Record<string, number>;
  /** Connections that were opened. */
  connections: number;
  /** Requests that GOAWAY overtook before they were sent, so that they went to the next connection. */
  moved: number;
  slowestMs: number;
}

/** What one run of the load client counted. */
export interface LoadCounts {
  readonly seconds: number;
  readonly manners: Readonly<Record<Manner, MannerCounts>>;
  /** The first failures: when, as Unix time, and of whom. */
  readonly failures: readonly LoadFailure[];
}

export interface LoadFailure {
  readonly at: number;
  readonly manner: Manner;
  readonly target: string;
  readonly reason: string;
}

/** Requests and failures of all manners together. */
export function total({ manners: counted }: LoadCounts): { readonly requests: number; readonly failed: number } {
  const all = Object.values(counted);
  const sum = (of: (counts: MannerCounts) => number): number => all.reduce((value, counts) => value + of(counts), 0);
  return { requests: sum(({ requests }) => requests), failed: sum(({ failed }) => failed) };
}

/** Several runs as one, such as those of two clients at the same time. */
export function merged(runs: readonly LoadCounts[]): LoadCounts {
  const counted = Object.fromEntries(manners.map((manner) => [manner, emptyCounts()])) as Record<Manner, MannerCounts>;
  for (const run of runs) {
    for (const manner of manners) {
      const into = counted[manner];
      const from = run.manners[manner];
      into.requests += from.requests;
      into.failed += from.failed;
      into.connections += from.connections;
      into.moved += from.moved;
      into.slowestMs = Math.max(into.slowestMs, from.slowestMs);
      for (const [reason, n] of Object.entries(from.reasons)) into.reasons[reason] = (into.reasons[reason] ?? 0) + n;
    }
  }
  const seconds = Math.max(0, ...runs.map((run) => run.seconds));
  return { seconds, manners: counted, failures: runs.flatMap(({ failures }) => failures) };
}

export function emptyCounts(): MannerCounts {
  return { requests: 0, failed: 0, reasons: {}, connections: 0, moved: 0, slowestMs: 0 };
}

/** Lines for people: what was done, then one line a manner, with the reasons of failures. */
export function formatCounts(what: string, counts: LoadCounts): string {
  const { requests, failed } = total(counts);
  const rate = counts.seconds === 0 ? 0 : Math.round(requests / counts.seconds);
  const lines = manners.map((manner) => {
    const { requests: n, failed: bad, connections, moved, slowestMs, reasons } = counts.manners[manner];
    const why = Object.entries(reasons).map(([reason, times]) => `\n      ${times} × ${reason}`);
    const unsent = moved === 0 ? '' : `, ${moved} not sent before GOAWAY and moved`;
    return `    ${manner}: ${n} requests, ${bad} failed, ${connections} connections${unsent}, slowest ${slowestMs} ms${why.join('')}`;
  });
  return [`  ${what}: ${requests} requests in ${counts.seconds} s (${rate}/s), ${failed} failed`, ...lines, ''].join(
    '\n',
  );
}
