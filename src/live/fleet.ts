import type { Compiler } from '../compiler/compile.ts';
import { mayReach, type ReachedWorkload } from '../compiler/reach.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import type { Workload } from '../compiler/topology/model.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { append } from '../lib/append.ts';
import type { SourceFile } from '../source/document.ts';
import { AccessChanges } from './access-changes.ts';
import { boundPolicies } from './bound-policies.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { type Compiled, compileKept, type KeptCompilation } from './compile-kept.ts';
import type { FleetInputs } from './fleet-inputs.ts';
import { type FleetFault, type FleetOutcome, faultKey, faultOfProxy, type ProxyOutcome } from './fleet-outcome.ts';
import { type FleetState, type FrozenProxies, frozenGroups, type InForce } from './fleet-state.ts';
import { denyingConfigs, FrozenCompiler, type KeptPolicies } from './frozen-compiler.ts';
import { policiesOf, topologyOf, topologyWith } from './frozen-objects.ts';
import type { GoodInputs } from './good-versions.ts';
import { HeldObjects } from './held-objects.ts';
import { lostIn, nothingLost, readHidden, withHidden } from './hidden-policies.ts';
import { hasFetchedKeys, withRules } from './key-sets/gather.ts';
import type { Fault } from './last-valid.ts';
import { isLeftOut } from './left-out.ts';
import { isForOthers } from './others-objects.ts';

type Frozen = Extract<ProxyOutcome, { readonly frozen: EnvoyConfig }>;

/**
 * Compiles a mesh for all of its proxies, version after version; a faulty object stops those alone that it may concern.
 */
export class Fleet {
  #inputs: FleetInputs;
  #compiler: Compiler;
  #good: GoodInputs | undefined;
  #rootBefore: string | undefined;
  #proxies = new Map<string, InForce>();
  #lost = nothingLost;
  readonly #access = new AccessChanges();
  readonly #closing = new ClosingSecrets(undefined);
  readonly #frozen = new FrozenCompiler(() => this.#inputs.createCompiler(), this.#closing);
  #version: string | undefined;
  #workloads: ReadonlyMap<string, Workload> = new Map();
  readonly #held = new HeldObjects();

  constructor(inputs: FleetInputs) {
    this.#inputs = inputs;
    this.#compiler = inputs.createCompiler();
  }

  /** What is in force, for a fleet that takes the place of this one; undefined: nothing is. */
  get state(): FleetState | undefined {
    if (this.#good === undefined || this.#version === undefined) return undefined;
    const version = this.#version;
    return {
      ...{ version, files: this.#good.files, rootBefore: this.#rootBefore },
      lost: { keys: [...this.#lost.keys], hidden: this.#lost.hidden.files },
      heldSince: this.#held.known,
      frozen: frozenGroups(this.#proxies, version, this.#good.objects),
      denying: [...this.#workloads.keys()].filter((key) => !this.#proxies.has(key)),
    };
  }

  /** Of the files of the state. */
  get objects(): GoodInputs['objects'] {
    return this.#good?.objects ?? [];
  }

  /**
   * Goes on, before it takes anything, with what another fleet had in force. What is no longer sound of it is
   * forgotten.
   */
  async restore(state: FleetState): Promise<void> {
    const { files, version, rootBefore, heldSince, frozen, lost, denying } = state;
    this.#rootBefore = rootBefore;
    const { value } = await this.#take(files, version, new DiagnosticBag(), false);
    if (value === undefined) return;
    this.#held.restore(heldSince);
    for (const key of denying) this.#proxies.delete(key);
    if (lost !== undefined) {
      this.#lost = { keys: new Set(lost.keys), hidden: readHidden(lost.hidden, this.#compiler) };
    }
    for (const group of frozen) await this.#restoreFrozen(group, value);
    this.#access.freeze([...denying, ...frozen.flatMap(({ proxies }) => proxies)]);
  }

  /** From now on everything is compiled with these; what is in force stays so until something is taken. */
  configure(inputs: FleetInputs): void {
    this.#inputs = inputs;
    this.#compiler = inputs.createCompiler();
    this.#frozen.forget();
  }

  /** `before` is what reading the files had to say. */
  async take(files: readonly SourceFile[], version: string, before = new DiagnosticBag()): Promise<FleetOutcome> {
    return (await this.#take(files, version, before, true)).outcome;
  }

  /** `renews`: where nothing of the inputs can be used, keys of what is in force are renewed all the same. */
  async #take(files: readonly SourceFile[], version: string, before: DiagnosticBag, renews: boolean) {
    const { settings } = this.#inputs;
    const gatherer = withRules(this.#inputs.gatherer, () => this.#frozen.rules);
    const compiling = {
      settings,
      gatherer,
      compiler: this.#compiler,
      rootBefore: this.#rootBefore,
      closing: this.#closing,
    };
    const known = this.#good && withHidden(this.#good, this.#lost.hidden);
    const kept = await compileKept(files, before, known, { ...compiling, proxy: 'all' });
    const { value, bag, errors, faults } = kept;
    const diagnostics = [...new Set([...errors, ...bag.all])];
    if (value === undefined) {
      const { state } = this;
      if (renews && state !== undefined && hasFetchedKeys(this.objects)) await this.restore(state);
      const outcomes = this.#allFrozen(errors);
      this.#access.freeze(outcomes.keys());
      const workloads = this.#workloads;
      const outcome = {
        outcomes,
        workloads,
        touched: 'all' as const,
        diagnostics,
        figures: undefined,
        snapshot: undefined,
      };
      return { value, outcome };
    }
    this.#held.take(faults, this.#version);
    const outcomes = await this.#outcomesOf(value, kept, version);
    this.#good = { files: kept.files, objects: value.objects };
    this.#closing.accept(value.objects);
    this.#rootBefore = value.compilation.decidedRoot;
    this.#version = version;
    for (const key of this.#proxies.keys()) if (!outcomes.has(key)) this.#proxies.delete(key);
    const { snapshot } = value;
    const { workloads } = snapshot.topology;
    this.#workloads = new Map(workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
    const objects = [...value.objects, ...boundPolicies(snapshot.policies)];
    const inForce = { objects, workloads: this.#workloads, rootNamespace: this.#rootBefore };
    const frozen = [...outcomes].flatMap(([key, outcome]) => ('frozen' in outcome ? [key] : []));
    const touched = this.#access.take(inForce, frozen, settings);
    const { figures } = value.compilation;
    return { value, outcome: { outcomes, workloads: this.#workloads, touched, diagnostics, figures, snapshot } };
  }

  async #restoreFrozen({ version, proxies, ...texts }: FrozenProxies, value: Compiled): Promise<void> {
    const bag = new DiagnosticBag();
    const files = [...texts.policies, ...(texts.topology ?? [])];
    const read = this.#compiler.read(files, bag);
    const policies = policiesOf(read);
    const objects = topologyWith(topologyOf(read), value.snapshot.objects);
    const configs = bag.hasErrors
      ? new Map()
      : await this.#frozen.compile(this.#kept({ policies, objects }), new Set(proxies), value, this.#rootBefore);
    for (const key of proxies) {
      const config = configs.get(key);
      if (config === undefined) this.#proxies.delete(key);
      else
        this.#proxies.set(key, { version, config, policies, objects, files: [...files, ...(this.#good?.files ?? [])] });
    }
  }

  /** Nobody knows what is at fault: everybody keeps what it has. */
  #allFrozen(errors: readonly Diagnostic[]): ReadonlyMap<string, ProxyOutcome> {
    const faults = [{ object: undefined, file: undefined, line: undefined, heldSince: undefined, errors }];
    return new Map(
      [...this.#proxies].map(([key, { config, version }]) => {
        return [key, { frozen: config, isDenying: false, since: version, faults }];
      }),
    );
  }

  async #outcomesOf(value: Compiled, { faults: all, files }: KeptCompilation, version: string) {
    const { compilation, snapshot, faulty } = value;
    const faults = all.filter((fault) => !isForOthers(fault, snapshot.objects));
    const policies = policiesOf(snapshot.objects);
    const outcomes = new Map<string, ProxyOutcome>();
    const stopped = new Map<string, readonly FleetFault[]>();
    // Where an object's last valid version had to go too, it holds no more.
    const unheld = faults.filter((fault) => !fault.isHeld && !this.#isLeftOut(fault));
    this.#lost = lostIn({ faults: unheld, objects: snapshot.objects }, this.#good, this.#lost, this.#compiler);
    const lost = this.#lost.keys;
    const asked = faults.length === 0 ? [] : snapshot.topology.workloads;
    const workloads = new Map(asked.map((it) => [`${it.namespace}/${it.name}`, it]));
    for (const config of compilation.configs) {
      const key = `${config.namespace}/${config.workload}`;
      const workload = workloads.get(key);
      const reached = workload && { ...reachedOf(workload), egress: snapshot.scopeOf(workload).egress };
      const own = reached === undefined ? faults : faults.filter((fault) => this.#mayConcern(fault, reached));
      const told = own.map((fault) => this.#held.told(fault, lost));
      if (own.some((fault) => lost.has(faultKey(fault)))) stopped.set(key, told);
      else {
        outcomes.set(key, { config, faults: told });
        this.#proxies.set(key, { version, config, policies, objects: snapshot.objects, files });
      }
    }
    for (const it of faulty) stopped.set(`${it.workload.namespace}/${it.workload.name}`, [faultOfProxy(it)]);
    for (const [key, frozen] of await this.#freeze(stopped, value)) outcomes.set(key, frozen);
    return outcomes;
  }

  #kept({ policies, objects }: Pick<InForce, 'policies' | 'objects'>): KeptPolicies {
    return { policies, objects, hidden: this.#lost.hidden.objects };
  }

  #mayConcern({ texts }: Fault, workload: ReachedWorkload): boolean {
    return texts.length === 0 || texts.some((text) => mayReach(text, workload, this.#inputs.settings));
  }

  #isLeftOut(fault: Fault): boolean {
    return this.#inputs.leavesOutInvalid === true && isLeftOut(fault, this.#compiler);
  }

  /**
   * Proxies that were good keep their policies, in the mesh as it is now, and what denies anew comes to them; where those
   * do not fit together, they keep the configuration as it was. All others get one that lets nothing through.
   */
  async #freeze(stopped: ReadonlyMap<string, readonly FleetFault[]>, value: Compiled): Promise<Map<string, Frozen>> {
    const frozen = new Map<string, Frozen>();
    this.#frozen.begin();
    const byPolicies = new Map<InForce['policies'], { readonly key: string; readonly inForce: InForce }[]>();
    for (const key of stopped.keys()) {
      const inForce = this.#proxies.get(key);
      if (inForce !== undefined) append(byPolicies, inForce.policies, { key, inForce });
    }
    for (const proxies of byPolicies.values()) {
      const [first] = proxies;
      if (first === undefined) continue;
      const keys = new Set(proxies.map(({ key }) => key));
      const again = await this.#frozen.compile(this.#kept(first.inForce), keys, value, this.#rootBefore);
      for (const { key, inForce } of proxies) {
        const faults = stopped.get(key) ?? [];
        const config = again.get(key) ?? inForce.config;
        frozen.set(key, { frozen: config, isDenying: false, since: inForce.version, faults });
        // What came to deny stays where the next version cannot be compiled.
        this.#proxies.set(key, { ...inForce, config });
      }
    }
    if (byPolicies.size === 0) this.#frozen.forget();
    const starting = new Set([...stopped.keys()].filter((key) => !this.#proxies.has(key)));
    for (const [key, config] of denyingConfigs(this.#compiler, starting, value)) {
      frozen.set(key, { frozen: config, isDenying: true, since: undefined, faults: stopped.get(key) ?? [] });
    }
    return frozen;
  }
}

function reachedOf({ namespace, name, role, labels }: Workload): ReachedWorkload {
  return { namespace, name, role, labels };
}
