import { createCompiler } from '../../compiler/compile.ts';
import { createLocator, type Locate } from '../../compiler/render/origins-json.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { nowMs } from '../../lib/clock.ts';
import { causesText } from '../../lib/failure.ts';
import { Fleet } from '../../live/fleet.ts';
import type { FleetInputs } from '../../live/fleet-inputs.ts';
import type { FleetOutcome } from '../../live/fleet-outcome.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import { goodTeller } from '../../live/good-change.ts';
import { createKeySetGatherer, type KeySetGatherer } from '../../live/key-sets/gather.ts';
import { type MissingDestinations, missingRows } from '../../live/missing-rows.ts';
import type { SourceFile } from '../../source/document.ts';
import type { WhyAnswer } from '../debug/answers.ts';
import { whyOf } from '../debug/why.ts';
import { MeshSettings, type ReadMeshConfig } from '../mesh-settings.ts';
import { MeshNames } from '../names/mesh-names.ts';
import type { Position } from '../registry/position.ts';
import type { Batch, Registry } from '../registry/registry.ts';
import { StandardMesh } from '../status/gateway-api/standard-mesh.ts';
import type { CompileData, MeshState } from './compile-messages.ts';
import { Debounce } from './debounce.ts';
import { faultsOf } from './fault-texts.ts';
import { InputsVersion } from './inputs-version.ts';
import type { MeshParts } from './mesh-parts.ts';
import { MeshSecrets } from './mesh-secrets.ts';
import { ObjectVersions } from './object-versions.ts';
import { type Pending, pendingWith } from './pending.ts';
import { Rehearsal } from './rehearsal.ts';
import { rejectedOf } from './rejected.ts';
import { SnapshotSender } from './snapshot-sender.ts';

/** What was read, and what reading it had to say. */
interface Inputs extends Pick<Batch, 'files' | 'commit' | 'position'> {
  readonly bag: DiagnosticBag;
}

/** Compiles a mesh again whenever its objects or the mesh configuration change. */
export class CompiledMesh {
  readonly #parts: MeshParts;
  readonly #settings: MeshSettings;
  readonly #registry: Registry;
  readonly #debounce: Debounce;
  readonly #data: CompileData;
  readonly #tellGood: (good: MeshState) => void;
  readonly #sender = new SnapshotSender();
  readonly #inputsVersion = new InputsVersion();
  readonly #versions: ObjectVersions | undefined;
  /** Undefined: nobody wants to know names. */
  readonly #names: MeshNames | undefined;
  readonly #gatherer: KeySetGatherer;
  readonly #secrets: MeshSecrets;
  readonly #rehearsal = new Rehearsal();
  #fleet: Fleet | undefined;
  /** What the fleet compiles with. */
  #configured: ReadMeshConfig | undefined;
  #looking = Promise.resolve();
  /** Of the last look that found something new. */
  #inputs: Inputs | undefined;
  /** Something is not compiled yet. */
  #pending: Pending | undefined;
  #isFirst = true;
  #isCompiling = false;
  /** Of the last compilation. */
  #outcomes: FleetOutcome['outcomes'] = new Map();
  #missing: MissingDestinations = [];
  #compiledCommit: string | undefined;
  /** Of the last compilation that gave something; undefined: the status of objects of the Gateway API is not written. */
  #standard: StandardMesh | undefined;

  /** `good` is what a mesh before this one had in force. */
  constructor(data: CompileData, good: MeshState | undefined, parts: MeshParts) {
    this.#parts = parts;
    this.#gatherer = createKeySetGatherer([], parts.keySets);
    this.#secrets = new MeshSecrets({
      error: (message, { name = '', namespace = '' } = {}) =>
        parts.tell({ type: 'told', level: 'warn', text: `${message} (${name} of namespace ${namespace})` }),
    });
    this.#settings = new MeshSettings(data.settings, data.trustDomain, good && (good.meshConfig ?? null));
    this.#registry = parts.registry;
    this.#data = data;
    this.#versions = data.tracksObjects || parts.reporter !== undefined ? new ObjectVersions() : undefined;
    this.#names = data.tellsNames ? new MeshNames() : undefined;
    this.#tellGood = goodTeller(good, (change) => parts.tell({ type: 'good', change }));
    this.#debounce = new Debounce(data.debounce, async () => {
      this.#isCompiling = true;
      await this.#compile().finally(() => {
        this.#isCompiling = false;
      });
    });
  }

  /** Goes on with what was in force, before the first look. */
  async restore(state: FleetState | undefined): Promise<void> {
    if (this.#settings.current === undefined) await this.#lookAtSettings();
    const fleet = this.#configure();
    if (state === undefined || fleet === undefined) return;
    await fleet.restore(state);
    this.#keep(fleet, false);
  }

  /** Keys of token issuers are others: what is withdrawn lets nobody through any more. */
  renewKeys(): void {
    if (this.#inputs === undefined) return;
    this.#pending = pendingWith(this.#pending, { isUrgent: true, isOfAll: true, changedMs: nowMs() });
    this.#debounce.add({ isUrgent: true });
  }

  /** What decided the configuration that a proxy (`<namespace>/<name>`) is served; undefined: it is not known. */
  why(proxy: string, name: string | undefined): WhyAnswer | undefined {
    const outcome = this.#outcomes.get(proxy);
    return outcome && whyOf({ proxy, commit: this.#compiledCommit }, outcome, name, this.#locator(), this.#missing);
  }

  /** How far everything that was read is compiled; undefined: something waits, or the source does not number its changes. */
  get position(): Position | undefined {
    return this.#pending === undefined && !this.#isCompiling ? this.#registry.position : undefined;
  }

  /** Looks at the objects; one look at a time. Nothing has changed since `quietSinceMs`, as `performance.now()` counts. */
  look(quietSinceMs?: number): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look(quietSinceMs));
    return this.#looking;
  }

  async #look(quietSinceMs: number | undefined): Promise<void> {
    const changedMs = nowMs();
    const isOther = await this.#lookAtSettings();
    const batch = await this.#lookAtRegistry();
    if (this.#inputs === undefined || (batch === undefined && !isOther)) return;
    // Settings may take access away, as rules do.
    const isUrgent = isOther || batch?.isUrgent === true;
    this.#pending = pendingWith(this.#pending, { isUrgent, isOfAll: isOther, changedMs });
    const isAtOnce = this.#isFirst || (!isOther && batch?.isEndpoints === true && !this.#data.gathersEndpoints);
    this.#isFirst = false;
    this.#debounce.add({ isUrgent, isAtOnce, quietSinceMs });
  }

  async #lookAtSettings(): Promise<boolean> {
    const { isChanged, problem } = await this.#settings.look();
    if (problem !== undefined) this.#parts.tell({ type: 'refused', text: problem });
    return isChanged;
  }

  /** A registry that cannot be read now is told of: nothing is deleted by that. */
  async #lookAtRegistry(): Promise<Batch | undefined> {
    const bag = new DiagnosticBag();
    try {
      const batch = await this.#registry.look(bag);
      if (batch !== undefined) this.#inputs = { ...batch, bag };
      return batch;
    } catch (error) {
      this.#parts.tell({ type: 'refused', text: causesText(error) });
      return undefined;
    }
  }

  /** The fleet with the settings of now; undefined: there were no good ones yet. */
  #configure(): Fleet | undefined {
    const { current } = this.#settings;
    if (current === undefined) return this.#fleet;
    const { settings } = current;
    const isOther = settings !== this.#configured?.settings;
    this.#configured = current;
    if (!isOther) return this.#fleet;
    const skipsGatewayApi = this.#data.readsGatewayApi !== true;
    const inputs: FleetInputs = {
      settings,
      createCompiler: () => createCompiler({ settings, delivery: 'ads', forgetsBootstraps: true, skipsGatewayApi }),
      gatherer: this.#gatherer,
      leavesOutInvalid: this.#data.leavesOutInvalid,
    };
    if (this.#fleet === undefined) this.#fleet = new Fleet(inputs);
    else this.#fleet.configure(inputs);
    return this.#fleet;
  }

  async #compile(): Promise<void> {
    const fleet = this.#configure();
    if (this.#pending === undefined || this.#inputs === undefined || fleet === undefined) return;
    const { isUrgent, isOfAll, changedMs } = this.#pending;
    const { files, bag, commit, position } = this.#inputs;
    this.#pending = undefined;
    const beganMs = nowMs();
    const version = this.#inputsVersion.of(files);
    const taken = await fleet.take(files, version, bag);
    const { outcomes, workloads, touched, diagnostics, figures, snapshot: inForce } = taken;
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const told = format(errors, files, 'text').trimEnd();
      this.#parts.tell({ type: 'refused', text: commit === undefined ? told : `commit ${commit}:\n${told}` });
    }
    const frozen = new Set([...outcomes].flatMap(([key, outcome]) => ('frozen' in outcome ? [key] : [])));
    if (this.#data.readsGatewayApi && inForce !== undefined) this.#standard = new StandardMesh(inForce, frozen);
    if (errors.length > 0 && outcomes.size === 0) {
      this.#tellOf(files, diagnostics);
      return;
    }
    // Before what they are to lead to, so that a new service can be dialed by name as soon as there is a route.
    const names = inForce && this.#names?.changesTo(inForce, outcomes.keys(), this.#configured?.settings);
    if (names !== undefined) this.#parts.tell({ type: 'names', changes: names });
    this.#outcomes = outcomes;
    this.#missing = inForce?.effective.missingDestinations ?? [];
    this.#compiledCommit = commit;
    const configs = [...outcomes.values()].map((outcome) => ('config' in outcome ? outcome.config : outcome.frozen));
    const whose = configs.map(({ namespace, workload }) => workloads.get(`${namespace}/${workload}`) ?? nobody);
    const isTouched = (proxy: string): boolean => isOfAll || touched === 'all' || touched.has(proxy);
    const { rights } = this.#registry;
    await rights?.want(this.#secrets.wishes(configs, whose));
    const secrets = this.#secrets.of(configs, whose, fleet.objects, rights);
    const faults = faultsOf(outcomes, () => this.#locator());
    const snapshot = this.#sender.send({ configs, workloads: whose, frozen, secrets, faults }, isTouched);
    const objects = this.#versions?.changesTo(fleet.objects);
    const origin = { version, commit, position, objects, times: { changedMs, beganMs, endedMs: nowMs() } };
    this.#parts.tell({ type: 'snapshot', snapshot, origin, isSound: errors.length === 0 });
    // No proxy waits for what is said of objects.
    this.#tellOf(files, diagnostics);
    const rejected = rejectedOf(outcomes, figures);
    const rows = inForce && missingRows(this.#missing, () => this.#locator());
    this.#parts.tell({ type: 'figures', gauges: figures?.gauges, rejected, missing: rows });
    if (fleet.state?.version === version) this.#registry.accept();
    this.#keep(fleet, isUrgent);
    if (fleet.state?.version === version)
      await this.#rehearsal.run(fleet, { files, version, bag }, () => this.#pending !== undefined);
  }

  #locator(): Locate {
    return createLocator([...(this.#inputs?.files ?? []), ...(this.#fleet?.state?.files ?? [])]);
  }

  /** What became of each object. */
  #tellOf(files: readonly SourceFile[], diagnostics: readonly Diagnostic[]): void {
    const { reporter, linter } = this.#parts;
    const versionOf = (key: string) => this.#versions?.inForce(key);
    reporter?.decided({ files, diagnostics, versionOf, mesh: this.#standard });
    linter?.take(files);
  }

  #keep(fleet: Fleet, isUrgent: boolean): void {
    const { state, objects } = fleet;
    if (state === undefined) return;
    this.#tellGood({ ...state, meshConfig: this.#configured?.text, folders: this.#registry.folders });
    void this.#parts.keeper?.keep({ state, objects }, isUrgent);
  }
}

/** A workload of which the mesh in force says nothing. */
const nobody: Pick<Workload, 'addresses'> & Partial<Workload> = { addresses: [] };
