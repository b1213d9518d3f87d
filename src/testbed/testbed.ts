import { loadAll } from 'js-yaml';
import {
  createTemporaryAuthority,
  type TemporaryAuthority,
  type WorkloadAuthority,
} from '../control/ca/temporary-authority.ts';
import { startBackends } from './backends.ts';
import { applicationUid, type CurlAnswer, type CurlRequest, curl } from './curl.ts';
import { type FloorPlan, type PlannedPod, type PlanObject, planFloor } from './floor-plan.ts';
import { buildNetwork } from './network.ts';
import type { OwnPrograms } from './own-programs.ts';
import { createPolicyFolder, type PolicyFolder } from './policy-folder.ts';
import { openSandbox, repository, type Sandbox } from './sandbox.ts';
import { node, type Sidecar } from './sidecar.ts';
import { compilingFleet, type FleetPlace, type ProxyFleet, type SidecarsOptions, startSidecars } from './sidecars.ts';
import type { WireAnswer } from './wire/answer.ts';
import type { WireRequest } from './wire/exchange.ts';

export interface TestbedOptions extends SidecarsOptions {
  /**
   * Namespaces, service accounts, services and pods, as YAML, or several such files by name; pods have addresses in
   * 10.77.0.0/16 and fd77::/64.
   */
  readonly topology: string | Readonly<Record<string, string>>;
  /** What runs in pods instead of the testbed's own backends. */
  readonly programs?: OwnPrograms;
  /** Policy files in force from the start: name to YAML. */
  readonly policies?: Readonly<Record<string, string>>;
  /** Makes the proxies; agents that each compile the policy folder when absent. */
  readonly fleet?: (place: FleetPlace, options: SidecarsOptions) => Promise<ProxyFleet>;
  readonly onProgress?: (step: string) => void;
}

/** A request from a pod, by `namespace/name`, to a service or an address. */
export interface TestbedRequest extends Omit<CurlRequest, 'url'> {
  readonly from: string;
  readonly to: string;
  readonly port?: number;
  readonly path?: string;
}

export interface TalkAnswer {
  readonly received: string;
  readonly elapsedMs: number;
  /** 0 all expected bytes came, 1 closed or reset before, 2 silence. */
  readonly exitCode: number;
}

/** A mesh that runs: real Envoys under real agents, in namespaces of its own. */
export interface Testbed {
  readonly pods: readonly PlannedPod[];
  request(request: TestbedRequest): Promise<CurlAnswer>;
  /** Raw TCP: sends `text` and waits for `expectedBytes`. */
  talk(from: string, to: string, port: number, text: string, expectedBytes: number): Promise<TalkAnswer>;
  /** Raw requests, each on a connection of its own; answers in their order. */
  exchange(from: string, requests: readonly WireRequest[]): Promise<readonly WireAnswer[]>;
  /**
   * Writes policy files; returns when every sidecar, or those of `pods` (by `namespace/name`), have the change in force;
   * throws when one refuses it.
   */
  apply(files: Readonly<Record<string, string>>, pods?: readonly string[]): Promise<void>;
  /** Removes policy files, by name, in the same way. */
  remove(...names: readonly string[]): Promise<void>;
  /** The sidecar of a pod, or the gateway that it is, by `namespace/name`. */
  sidecar(pod: string): Sidecar;
  /** Starts the proxy of a pod, whose last one has ended, with what it is given anew; does not wait for it. */
  startAgain(pod: string, env?: Readonly<Record<string, string>>): Promise<Sidecar>;
  /** Where all certificates are from that `provision` does not give. */
  readonly ca: WorkloadAuthority;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** Builds and starts a mesh; returns when every backend listens and every sidecar is ready. */
export async function createTestbed(options: TestbedOptions): Promise<Testbed> {
  const progress = options.onProgress ?? (() => undefined);
  const topology = typeof options.topology === 'string' ? { 'topology.yaml': options.topology } : options.topology;
  const plan = planFloor(Object.values(topology).flatMap((text) => loadAll(text) as PlanObject[]));
  progress('network namespaces, redirection');
  const sandbox = await openSandbox();
  try {
    await buildNetwork(sandbox, plan);
    const folder = await createPolicyFolder(sandbox.folder, { ...topology, ...options.policies });
    progress('backends, agents, Envoys');
    const ca = createTemporaryAuthority(sandbox.folder);
    const fleet = await (options.fleet ?? compilingFleet)({ sandbox, ca, folder }, options);
    const [sidecars] = await Promise.all([startSidecars(plan, fleet), startBackends(sandbox, plan, options.programs)]);
    progress('waiting until every sidecar is ready');
    await Promise.all([...sidecars.values()].map((sidecar) => sidecar.ready()));
    return new RunningTestbed({ sandbox, plan, folder, sidecars, ca, fleet });
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

interface RunningParts {
  readonly sandbox: Sandbox;
  readonly plan: FloorPlan;
  readonly folder: PolicyFolder;
  /** By `namespace/name`. */
  readonly sidecars: Map<string, Sidecar>;
  readonly ca: TemporaryAuthority;
  readonly fleet: ProxyFleet;
}

class RunningTestbed implements Testbed {
  readonly sandbox: Sandbox;
  readonly pods: readonly PlannedPod[];
  readonly ca: TemporaryAuthority;
  readonly #folder: PolicyFolder;
  readonly #sidecars: Map<string, Sidecar>;
  readonly #fleet: ProxyFleet;

  constructor({ sandbox, plan, folder, sidecars, ca, fleet }: RunningParts) {
    this.sandbox = sandbox;
    this.pods = plan.pods;
    this.ca = ca;
    this.#folder = folder;
    this.#sidecars = sidecars;
    this.#fleet = fleet;
  }

  request({ from, to, port = 8000, path = '/ip', ...rest }: TestbedRequest): Promise<CurlAnswer> {
    const host = to.includes(':') ? `[${to}]` : to;
    return curl(this.sandbox, from.replace('/', '-'), { ...rest, url: `http://${host}:${port}${path}` });
  }

  async talk(from: string, to: string, port: number, text: string, expectedBytes: number): Promise<TalkAnswer> {
    const program = [node, `${repository}/src/testbed/talk.ts`, to, port, text, expectedBytes].map(String);
    const place = { network: from.replace('/', '-'), uid: applicationUid, timeoutMs: 60_000 };
    const { stdout, exitCode } = await this.sandbox.run(program, place);
    return { ...(JSON.parse(stdout) as Pick<TalkAnswer, 'received' | 'elapsedMs'>), exitCode };
  }

  async exchange(from: string, requests: readonly WireRequest[]): Promise<readonly WireAnswer[]> {
    const stdin = JSON.stringify(requests);
    const place = { network: from.replace('/', '-'), uid: applicationUid, timeoutMs: 60_000, stdin };
    return JSON.parse(await this.sandbox.must([node, `${repository}/src/testbed/wire-client.ts`], place));
  }

  apply(files: Readonly<Record<string, string>>, pods?: readonly string[]): Promise<void> {
    return this.#change(files, [], pods);
  }

  remove(...names: readonly string[]): Promise<void> {
    return this.#change({}, names);
  }

  sidecar(pod: string): Sidecar {
    const sidecar = this.#sidecars.get(pod);
    if (sidecar === undefined) throw new Error(`no sidecar in ${pod}`);
    return sidecar;
  }

  async startAgain(pod: string, env?: Readonly<Record<string, string>>): Promise<Sidecar> {
    const started = await this.#fleet.start(this.sidecar(pod).pod, env);
    this.#sidecars.set(pod, started);
    return started;
  }

  async close(): Promise<void> {
    await this.ca.close();
    await this.sandbox.close();
  }

  async #change(
    files: Readonly<Record<string, string>>,
    removed: readonly string[],
    pods: readonly string[] = [...this.#sidecars.keys()],
  ): Promise<void> {
    const sidecars = pods.map((pod) => this.sidecar(pod));
    await this.#fleet.change(sidecars, () => this.#folder.change(files, removed));
  }
}
