import type { HostFacts } from '../config/host-facts.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { OnStep } from '../lib/on-step.ts';
import type { KeySets } from '../policy/key-sets.ts';
import type { Compilation } from './compilation.ts';
import { denying } from './lower/denying.ts';
import { createLowerCache, lower } from './lower/lower.ts';
import { meshFigures } from './mesh-figures.ts';
import { meshJson } from './render/mesh-json.ts';
import { createRenderer } from './render/render.ts';
import type { Delivery } from './render/resource.ts';
import type { Templates } from './render/templates.ts';
import type { UserBootstrap } from './render/user-bootstrap.ts';
import { type SelectedWorkload, selectWorkloads } from './select.ts';
import type { Snapshot } from './snapshot.ts';
import type { Workload } from './topology/model.ts';
import { Verified, verify } from './verify/verify.ts';

/** How configurations are written: the same for all snapshots that one renderer gets. */
export interface RenderOptions {
  /** A user's templates; the built-in ones when absent. */
  readonly templates?: Templates;
  /** Of the machine that the proxies start on. */
  readonly host?: HostFacts;
  /** A bootstrap of the user's, or what is laid over ours. */
  readonly bootstrap?: UserBootstrap;
  /** Absent: files. */
  readonly delivery?: Delivery | undefined;
  /** Bootstraps are checked, and made again where somebody asks for them: they are as large as all else of a proxy. */
  readonly forgetsBootstraps?: boolean | undefined;
  /** Told of each proxy. */
  readonly onStep?: OnStep | undefined;
}

/** For which proxies, and what they have beside the snapshot. */
export interface Selection {
  /** All workloads that have a proxy, or those named. */
  readonly select: 'all' | readonly SelectedWorkload[];
  /** Absent: none is at hand. */
  readonly keySets?: KeySets | undefined;
  /**
   * Secrets (`<namespace>/<name>`) that are no error when they cannot serve: their gateway servers stay closed. Same
   * names, same object.
   */
  readonly closingSecrets?: ReadonlySet<string> | undefined;
  /** Where given, a proxy with an error is told here, and left out; the bag gets no errors of proxies. */
  readonly onFaulty?: ((proxy: FaultyProxy) => void) | undefined;
  /** Proxies that let nothing through, instead of those that the snapshot asks for; no key set is needed. */
  readonly isDenying?: boolean | undefined;
}

/** A proxy that cannot be configured as its snapshot says. */
export interface FaultyProxy {
  readonly workload: Workload;
  readonly errors: readonly Diagnostic[];
}

/** Snapshot in, Envoy configuration out; pure. Undefined when the bag holds an error. */
export function renderSnapshot(
  snapshot: Snapshot,
  { select, keySets, closingSecrets, onFaulty, isDenying, ...options }: Selection & RenderOptions,
  bag: DiagnosticBag,
): Compilation | undefined {
  return createSnapshotRenderer(options)(snapshot, { select, keySets, closingSecrets, onFaulty, isDenying }, bag);
}

/** From a snapshot to the configurations of the selected proxies, sound ones; undefined when the bag holds an error. */
export type RenderSnapshot = (snapshot: Snapshot, selection: Selection, bag: DiagnosticBag) => Compilation | undefined;

/**
 * A renderer that remembers: what is in force unchanged has the same intermediate form, and that the same resources,
 * which are verified once.
 */
export function createSnapshotRenderer({
  templates,
  host,
  bootstrap,
  delivery,
  forgetsBootstraps,
  onStep,
}: RenderOptions): RenderSnapshot {
  const common = { bootstrap, delivery, forgetsBootstraps };
  const renderer = createRenderer({ ...common, templates });
  // What is wrong may be a user's template.
  const denier = createRenderer(common);
  const lowered = createLowerCache();
  const [verified, verifiedDenying] = [new Verified(), new Verified()];

  return (snapshot, { select, keySets, closingSecrets, onFaulty, isDenying }, bag) => {
    const { settings, topology, effective, policies, decidedRoot, scopeOf } = snapshot;
    const chosen = selectWorkloads(topology, select, bag);
    if (bag.hasErrors) return undefined;
    const input = { topology, effective, settings, scopeOf, keySets, host, closingSecrets };
    lowered.memoOf(settings).nextRun();
    const count = chosen.length;
    const told = new ToldApart(bag, onFaulty);
    const all = chosen.map((workload, i) => {
      onStep?.('compiling proxy', i + 1, count);
      if (isDenying)
        return { workload, proxy: denying(lower(workload, input, new DiagnosticBag(), lowered), settings) };
      return { workload, proxy: lower(workload, input, told.bagOf(workload), lowered) };
    });
    if (bag.hasErrors) return undefined;
    const made = all.flatMap(({ workload, proxy }, i) => {
      onStep?.('rendering proxy', i + 1, count);
      const own = told.bagOf(workload);
      const config =
        onFaulty !== undefined && own.hasErrors ? undefined : (isDenying ? denier : renderer).render(proxy, own);
      if (config !== undefined) verify(proxy, config, own, isDenying ? verifiedDenying : verified);
      return config === undefined || (onFaulty !== undefined && own.hasErrors) ? [] : [{ workload, proxy, config }];
    });
    told.tell();
    if (bag.hasErrors) return undefined;
    const proxies = made.map(({ proxy }) => proxy);
    const figures = meshFigures(topology, policies, proxies, bag.all);
    return {
      configs: made.map(({ config }) => config),
      workloads: made.map(({ workload }) => workload),
      decidedRoot,
      get mesh() {
        return meshJson(topology, settings);
      },
      figures,
    };
  };
}

/** What is said of each proxy: all in one bag, or, where somebody wants to hear of faulty proxies, one apart from another. */
class ToldApart {
  readonly #bag: DiagnosticBag;
  readonly #onFaulty: Selection['onFaulty'];
  readonly #own = new Map<Workload, DiagnosticBag>();
  /** Of most proxies nothing is said: they have this one after each other until it holds something. */
  #next = new DiagnosticBag();
  #whose: Workload | undefined;

  constructor(bag: DiagnosticBag, onFaulty: Selection['onFaulty']) {
    this.#bag = bag;
    this.#onFaulty = onFaulty;
  }

  /** Nothing is put into it any more once the next one is asked for. */
  bagOf(workload: Workload): DiagnosticBag {
    if (this.#onFaulty === undefined) return this.#bag;
    this.#settle();
    this.#whose = workload;
    return this.#own.get(workload) ?? this.#next;
  }

  #settle(): void {
    if (this.#whose === undefined || this.#next.all.length === 0) return;
    this.#own.set(this.#whose, this.#next);
    this.#next = new DiagnosticBag();
  }

  /** Errors go to who wants to hear of them, all else into the bag, once however many proxies share it. */
  tell(): void {
    this.#settle();
    const shared = new Set<Diagnostic>();
    for (const [workload, { all }] of this.#own) {
      const errors = all.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) this.#onFaulty?.({ workload, errors });
      for (const diagnostic of all) if (diagnostic.severity !== 'error') shared.add(diagnostic);
    }
    this.#bag.addAll(shared);
  }
}
