import { delay } from '../../src/lib/abort.ts';
import { until } from '../../src/testbed/until.ts';
import type { Dice } from '../../src/testing/dice.ts';
import type { DemoReport } from '../demo/demo-report.ts';
import { MemorySamples } from './memory-samples.ts';
import type { FaultKind, MeshPart, SoakedMesh } from './soaked-mesh.ts';
import { type Call, Verdicts } from './verdicts.ts';

/** How long a fault lasts at least and at most: shorter than half of a certificate's 30 s, which is when agents renew it. */
const faultMs = { least: 500, most: 8_000 };
/** Time for a mesh to be well after a fault, and for a policy to be in force. */
const patienceMs = 120_000;
/** After a verdict has changed, connections of before may still be drained. */
const drainMs = 5_000;
const memoryEveryMs = 5_000;

/** What a run has found. */
export interface FaultRunResult {
  readonly calls: number;
  /** Calls that failed while an Envoy on their way was away. */
  readonly excused: number;
  readonly faults: number;
  readonly changes: number;
  /** Signed by `meshd` while it went on. */
  readonly certificates: number;
  /** In words; empty: all is as it should be. */
  readonly wrong: readonly string[];
  readonly memory: MemorySamples;
  /** Unix milliseconds of the first call. */
  readonly beganMs: number;
}

/** Has faults happen to a mesh, one at a time, for so many milliseconds, while probes call and policies change. */
export async function runFaults(
  mesh: SoakedMesh,
  { dice, report, lengthMs }: { readonly dice: Dice; readonly report: DemoReport; readonly lengthMs: number },
): Promise<FaultRunResult> {
  const run = new FaultRun(mesh, dice, report);
  return run.for(lengthMs);
}

class FaultRun {
  readonly #mesh: SoakedMesh;
  readonly #dice: Dice;
  readonly #report: DemoReport;
  readonly #verdicts: Verdicts;
  readonly #memory = new MemorySamples();
  readonly #wrong: string[] = [];
  #readCalls: () => Promise<string> = async () => '';
  #isLetIn: boolean;
  #hasDecided = false;
  #changes = 0;
  #faults = 0;

  constructor(mesh: SoakedMesh, dice: Dice, report: DemoReport) {
    this.#mesh = mesh;
    this.#dice = dice;
    this.#report = report;
    this.#verdicts = new Verdicts(mesh.targets);
    for (const { name, status } of mesh.targets) this.#verdicts.decided(name, status, 0);
    this.#isLetIn = mesh.targets.find(({ name }) => name === mesh.changing)?.status === 200;
  }

  async for(lengthMs: number): Promise<FaultRunResult> {
    this.#readCalls = await this.#mesh.startCalls();
    const certificatesBefore = await this.#mesh.countCertificates();
    const beganMs = Date.now();
    const sampling = setInterval(() => void this.#sample(), memoryEveryMs);
    try {
      while (Date.now() - beganMs < lengthMs) await this.#round();
    } catch (error) {
      this.#wrong.push(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(sampling);
    }
    const certificates = (await this.#mesh.countCertificates()) - certificatesBefore;
    const calls = await this.#calls();
    const faulty = calls.map((call) => [call, this.#verdicts.faultOf(call)] as const);
    const wrong = faulty.flatMap(([call, fault]) => (fault === undefined ? [] : [`${fault}: ${callText(call)}`]));
    const isVerdict = ({ status }: Call): boolean => status === 200 || status === 403;
    const excused = faulty.filter(([call, fault]) => fault === undefined && !isVerdict(call)).length;
    return {
      ...{ calls: calls.length, excused, faults: this.#faults, changes: this.#changes, beganMs },
      ...{ certificates, wrong: [...this.#wrong, ...wrong], memory: this.#memory },
    };
  }

  /** One fault; half of the time policies change while it lasts, else after it or not at all. */
  async #round(): Promise<void> {
    const part = this.#dice.pick(this.#dice.pick(this.#mesh.parts));
    const fault = this.#dice.pick(part.faults);
    const lastsMs = faultMs.least + this.#dice.below(faultMs.most - faultMs.least);
    const changes = this.#dice.pick(['during', 'during', 'after', 'never'] as const);
    const isExcuse = fault === 'kill' && part.envoyOf !== undefined;
    const startedMs = Date.now();
    if (isExcuse) this.#verdicts.envoyAway(part.envoyOf, startedMs);
    await part.begin(fault);
    this.#faults += 1;
    await delay(lastsMs / 2);
    if (changes === 'during') await this.#decide(part, fault);
    await delay(lastsMs / 2);
    await part.end(fault);
    if (isExcuse) this.#verdicts.envoyBack(part.envoyOf, Date.now());
    await until(async () => (await this.#mesh.isWell()) || undefined, {
      ...{ timeoutMs: patienceMs, everyMs: 250 },
      otherwise: async () => `after ${fault} of ${part.name} the mesh is not well for ${patienceMs / 1000} s`,
    });
    if (changes === 'after') await this.#decide(part, undefined);
    const hasChanged = this.#hasDecided;
    if (hasChanged) await this.#settle();
    this.#report.step(
      `${fault} ${part.name}: ${Date.now() - startedMs} ms${hasChanged ? `, another policy ${changes} it` : ''}`,
    );
  }

  /** What a program that is away could have taken is decided later. */
  async #decide(part: MeshPart, fault: FaultKind | undefined): Promise<void> {
    if (fault !== undefined && part.takesPolicies) return;
    const isLetIn = !this.#isLetIn;
    this.#verdicts.decided(this.#mesh.changing, isLetIn ? 200 : 403, Date.now());
    await this.#mesh.decide(isLetIn);
    this.#isLetIn = isLetIn;
    this.#hasDecided = true;
    this.#changes += 1;
  }

  /** Returns once the newest policy alone is in force. */
  async #settle(): Promise<void> {
    const should = this.#isLetIn ? 200 : 403;
    const atMs = Date.now();
    const isInForce = async (): Promise<true | undefined> => {
      const last = (await this.#calls()).filter(({ name }) => name === this.#mesh.changing).slice(-3);
      return last.length === 3 && last.every((call) => call.startedMs > atMs && call.status === should)
        ? true
        : undefined;
    };
    await until(isInForce, {
      ...{ timeoutMs: patienceMs, everyMs: 500 },
      otherwise: async () => `${this.#mesh.changing} is not answered with ${should} for ${patienceMs / 1000} s`,
    });
    await delay(drainMs);
    this.#verdicts.settled(this.#mesh.changing, Date.now());
    this.#hasDecided = false;
  }

  async #calls(): Promise<readonly Call[]> {
    const lines = (await this.#readCalls()).split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Call);
  }

  async #sample(): Promise<void> {
    const listed = await this.#mesh.listMemory().catch(() => '');
    if (listed !== '') this.#memory.add(listed, Date.now());
  }
}

function callText({ name, startedMs, endedMs, status, why }: Call): string {
  const reason = why === undefined ? '' : `: ${why.slice(0, 200)}`;
  return `${new Date(startedMs).toISOString()} ${name} ${status} after ${endedMs - startedMs} ms${reason}`;
}
