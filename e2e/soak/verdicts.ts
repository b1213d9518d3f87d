/** A call of the probe client; times are Unix milliseconds. */
export interface Call {
  /** Of the target. */
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** 0: there was no answer. */
  readonly status: number;
  readonly why?: string;
}

/** What a target is called through and what policies say of it. */
export interface Target {
  readonly name: string;
  /** Workloads whose Envoys a call passes. */
  readonly through: readonly string[];
}

interface Span {
  readonly fromMs: number;
  /** Undefined: it goes on. */
  untilMs: number | undefined;
}

interface Policy extends Span {
  readonly status: number;
}

/** After an Envoy is ready again, calls may still meet a connection of before. */
const afterEnvoyMs = 2_000;

/**
 * What calls may be answered with: a verdict of a policy that was in force while the call ran. While an Envoy on its way is away, and
 * for two seconds after that, a call may also fail.
 */
export class Verdicts {
  readonly #targets: ReadonlyMap<string, Target>;
  readonly #policies = new Map<string, Policy[]>();
  readonly #away = new Map<string, Span[]>();

  constructor(targets: readonly Target[]) {
    this.#targets = new Map(targets.map((target) => [target.name, target]));
  }

  /** From now on the policy is decided; the one before may be in force until `settled`. */
  decided(name: string, status: number, atMs: number): void {
    const policies = this.#policies.get(name) ?? [];
    this.#policies.set(name, [...policies, { status, fromMs: atMs, untilMs: undefined }]);
  }

  /** The newest policy alone is in force. */
  settled(name: string, atMs: number): void {
    for (const policy of this.#policies.get(name)?.slice(0, -1) ?? []) policy.untilMs ??= atMs;
  }

  /** The Envoy of a workload is killed. */
  envoyAway(workload: string, atMs: number): void {
    this.#away.set(workload, [...(this.#away.get(workload) ?? []), { fromMs: atMs, untilMs: undefined }]);
  }

  envoyBack(workload: string, atMs: number): void {
    for (const span of this.#away.get(workload) ?? []) span.untilMs ??= atMs;
  }

  /** What is wrong with a call; undefined: nothing, or an Envoy that was killed excuses it. */
  faultOf(call: Call): 'failed' | 'wrong verdict' | undefined {
    const target = this.#targets.get(call.name);
    if (target === undefined) throw new Error(`no target is called "${call.name}"`);
    const policies = this.#policies.get(call.name) ?? [];
    if (policies.some((policy) => policy.status === call.status && meets(policy, call, 0))) return undefined;
    if (call.status === 200 || call.status === 403) return 'wrong verdict';
    const spans = target.through.flatMap((workload) => this.#away.get(workload) ?? []);
    return spans.some((span) => meets(span, call, afterEnvoyMs)) ? undefined : 'failed';
  }
}

function meets({ fromMs, untilMs = Number.POSITIVE_INFINITY }: Span, call: Call, afterMs: number): boolean {
  return call.startedMs <= untilMs + afterMs && call.endedMs >= fromMs;
}
