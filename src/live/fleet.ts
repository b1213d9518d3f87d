import type { Compiler } from '../compiler/compile.ts';
import { mayReach, type ReachedWorkload } from '../compiler/reach.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import type { FaultyProxy } from '../compiler/render-snapshot.ts';
import { tokenRulesOf } from '../compiler/token-rules.ts';
import type { Workload } from '../compiler/topology/model.ts';
import type { Settings } from '../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { append } from '../lib/append.ts';
import type { MeshObject } from '../policy/object.ts';
import type { SourceFile } from '../source/document.ts';
import { type Compiled, compileKept, type KeptCompilation } from './compile-kept.ts';
import { frozenObjects, policiesOf } from './frozen-objects.ts';
import type { GoodInputs } from './good-versions.ts';
import type { KeySetGatherer } from './key-sets/gather.ts';
import type { Fault } from './last-good.ts';
import type { ObjectName } from './object-name.ts';

/** What a proxy is to run with. */
export type ProxyOutcome =
  | {
      readonly config: EnvoyConfig;
      /** What is wrong with objects that may concern it and are held at their last good version. */
      readonly faults: readonly FleetFault[];
    }
  | {
      /** Something that it may depend on was never good, or is so no more: what it had, or what lets nothing through. */
      readonly frozen: EnvoyConfig;
      readonly isDenying: boolean;
      /** The version of the inputs whose policies it has; undefined: of none. */
      readonly since: string | undefined;
      readonly faults: readonly FleetFault[];
    };

/** Why a proxy has not what the inputs say. */
export interface FleetFault {
  /** Undefined: nobody knows which object it is, or no object is to blame. */
  readonly object: ObjectName | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The last version of the inputs in which the object was sound, where that one is in force. */
  readonly heldSince: string | undefined;
  readonly errors: readonly Diagnostic[];
}

/** What came of a version of the inputs, by `<namespace>/<name>` of the proxies. */
export interface FleetOutcome {
  readonly outcomes: ReadonlyMap<string, ProxyOutcome>;
  /** Of the mesh in force, by the same names. */
  readonly workloads: ReadonlyMap<string, Workload>;
  /** What was said of the inputs: all errors, and the warnings of what was compiled. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface FleetInputs {
  readonly settings: Settings;
  /** A compiler of its own each time: what is frozen would push out what the other one remembers. */
  readonly createCompiler: () => Compiler;
  readonly gatherer: KeySetGatherer;
}

/** What a proxy had when nothing that it may depend on was at fault. */
interface InForce {
  readonly version: string;
  readonly config: EnvoyConfig;
  readonly policies: readonly MeshObject<string>[];
}

type Frozen = Extract<ProxyOutcome, { readonly frozen: EnvoyConfig }>;

/** Compiles a mesh for all of its proxies, version after version; a faulty object stops those alone that it may concern. */
export class Fleet {
  readonly #inputs: FleetInputs;
  readonly #compiler: Compiler;
  #frozenCompiler: Compiler | undefined;
  #good: GoodInputs | undefined;
  #rootBefore: string | undefined;
  #proxies = new Map<string, InForce>();
  #version: string | undefined;
  #workloads: ReadonlyMap<string, Workload> = new Map();
  #heldSince: ReadonlyMap<string, string | undefined> = new Map();

  constructor(inputs: FleetInputs) {
    this.#inputs = inputs;
    this.#compiler = inputs.createCompiler();
  }

  /** `before` is what reading the files had to say. */
  async take(files: readonly SourceFile[], version: string, before = new DiagnosticBag()): Promise<FleetOutcome> {
    const { settings, gatherer } = this.#inputs;
    const compiling = {
      settings,
      gatherer,
      compiler: this.#compiler,
      rootBefore: this.#rootBefore,
      closing: undefined,
    };
    const kept = await compileKept(files, before, this.#good, { ...compiling, proxy: 'all' });
    const { value, bag, errors, faults } = kept;
    const diagnostics = [...new Set([...errors, ...bag.all])];
    if (value === undefined) return { outcomes: this.#allFrozen(errors), workloads: this.#workloads, diagnostics };
    this.#heldSince = new Map(
      faults.flatMap((fault) => (fault.isHeld ? [[keyOf(fault), this.#sinceOf(fault)] as const] : [])),
    );
    const outcomes = await this.#outcomesOf(value, kept, version);
    this.#good = { files: kept.files, objects: value.objects };
    this.#rootBefore = value.compilation.decidedRoot;
    this.#version = version;
    this.#proxies = new Map([...this.#proxies].filter(([key]) => outcomes.has(key)));
    const { workloads } = value.snapshot.topology;
    this.#workloads = new Map(workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
    return { outcomes, workloads: this.#workloads, diagnostics };
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

  async #outcomesOf(value: Compiled, { faults }: KeptCompilation, version: string) {
    const { compilation, snapshot, faulty } = value;
    const policies = policiesOf(snapshot.objects);
    const outcomes = new Map<string, ProxyOutcome>();
    const stopped = new Map<string, readonly FleetFault[]>();
    // Where an object's last good version had to go too, it holds no more.
    const lost = new Set(faults.filter(({ isHeld }) => !isHeld).map(keyOf));
    const workloads = new Map(snapshot.topology.workloads.map((it) => [`${it.namespace}/${it.name}`, it]));
    for (const config of compilation.configs) {
      const key = `${config.namespace}/${config.workload}`;
      const workload = workloads.get(key);
      const own = workload === undefined ? faults : faults.filter((fault) => this.#mayConcern(fault, workload));
      const told = own.map((fault) => this.#told(fault, lost));
      if (own.some((fault) => lost.has(keyOf(fault)))) stopped.set(key, told);
      else {
        outcomes.set(key, { config, faults: told });
        this.#proxies.set(key, { version, config, policies });
      }
    }
    for (const proxy of faulty) stopped.set(keyOfProxy(proxy), [toldOf(proxy)]);
    for (const [key, frozen] of await this.#freeze(stopped, value)) outcomes.set(key, frozen);
    return outcomes;
  }

  #mayConcern({ texts }: Fault, workload: ReachedWorkload): boolean {
    return texts.length === 0 || texts.some((text) => mayReach(text, workload, this.#inputs.settings));
  }

  #sinceOf(fault: Fault): string | undefined {
    const key = keyOf(fault);
    return this.#heldSince.has(key) ? this.#heldSince.get(key) : this.#version;
  }

  #told(fault: Fault, lost: ReadonlySet<string>): FleetFault {
    const { object, file, line, errors } = fault;
    const key = keyOf(fault);
    const heldSince = lost.has(key) ? undefined : this.#heldSince.get(key);
    const name = object && { kind: object.kind, namespace: object.namespace, name: object.name };
    return { object: name, file, line, heldSince, errors };
  }

  /**
   * Proxies that were good keep their policies, in the mesh as it is now, and what denies anew comes to them; where those
   * do not fit together, they keep the configuration as it was. All others get one that lets nothing through.
   */
  async #freeze(stopped: ReadonlyMap<string, readonly FleetFault[]>, value: Compiled): Promise<Map<string, Frozen>> {
    const frozen = new Map<string, Frozen>();
    const byPolicies = new Map<InForce['policies'], { readonly key: string; readonly inForce: InForce }[]>();
    for (const key of stopped.keys()) {
      const inForce = this.#proxies.get(key);
      if (inForce !== undefined) append(byPolicies, inForce.policies, { key, inForce });
    }
    for (const [policies, proxies] of byPolicies) {
      const again = await this.#compileFrozen(policies, new Set(proxies.map(({ key }) => key)), value);
      for (const { key, inForce } of proxies) {
        const faults = stopped.get(key) ?? [];
        frozen.set(key, { frozen: again.get(key) ?? inForce.config, isDenying: false, since: inForce.version, faults });
      }
    }
    if (byPolicies.size === 0) this.#frozenCompiler = undefined;
    const starting = new Set([...stopped.keys()].filter((key) => !this.#proxies.has(key)));
    for (const [key, config] of this.#denying(starting, value)) {
      frozen.set(key, { frozen: config, isDenying: true, since: undefined, faults: stopped.get(key) ?? [] });
    }
    return frozen;
  }

  async #compileFrozen(
    policies: readonly MeshObject<string>[],
    proxies: ReadonlySet<string>,
    { snapshot, keySets }: Compiled,
  ): Promise<ReadonlyMap<string, EnvoyConfig>> {
    this.#frozenCompiler ??= this.#inputs.createCompiler();
    const bag = new DiagnosticBag();
    const view = { rootBefore: this.#rootBefore, namespace: undefined };
    const own = this.#frozenCompiler.analyse(frozenObjects(policies, snapshot.objects), bag, view);
    if (own === undefined) return new Map();
    await keySets.fetch([...tokenRulesOf(snapshot, 'all'), ...tokenRulesOf(own, 'all')]);
    const select = own.topology.workloads.filter(({ namespace, name }) => proxies.has(`${namespace}/${name}`));
    // One that is at fault keeps its configuration as it was.
    const onFaulty = (): void => undefined;
    return configsOf(this.#frozenCompiler.render(own, { select, keySets, onFaulty }, bag)?.configs ?? []);
  }

  #denying(proxies: ReadonlySet<string>, { snapshot, keySets }: Compiled): ReadonlyMap<string, EnvoyConfig> {
    if (proxies.size === 0) return new Map();
    const bag = new DiagnosticBag();
    const select = snapshot.topology.workloads.filter(({ namespace, name }) => proxies.has(`${namespace}/${name}`));
    const compilation = this.#compiler.render(snapshot, { select, keySets, isDenying: true }, bag);
    if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('; '));
    return configsOf(compilation.configs);
  }
}

function configsOf(configs: readonly EnvoyConfig[]): ReadonlyMap<string, EnvoyConfig> {
  return new Map(configs.map((config) => [`${config.namespace}/${config.workload}`, config]));
}

/** Of an object; of a document of which nobody knows what it is, the place where it stands. */
function keyOf({ object, file, line }: Fault): string {
  return object === undefined ? `${file}:${line}` : JSON.stringify([object.kind, object.namespace, object.name]);
}

function keyOfProxy({ workload: { namespace, name } }: FaultyProxy): string {
  return `${namespace}/${name}`;
}

/** Errors of one proxy, which no object could be held for. */
function toldOf({ workload, errors }: FaultyProxy): FleetFault {
  const { document } = workload.object;
  const isOwn = errors.every(({ span }) => span?.file === document.file);
  const { kind, namespace, name } = workload;
  return {
    object: isOwn ? { kind, namespace, name } : undefined,
    file: errors.find(({ span }) => span !== undefined)?.span?.file,
    line: undefined,
    heldSince: undefined,
    errors,
  };
}
