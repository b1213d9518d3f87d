import type { HostFacts } from '../config/host-facts.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { OnStep } from '../lib/on-step.ts';
import type { KeySets } from '../policy/key-sets.ts';
import type { Compilation } from './compilation.ts';
import { createLowerCache, lower } from './lower/lower.ts';
import { meshFigures } from './mesh-figures.ts';
import { meshJson } from './render/mesh-json.ts';
import { createRenderer } from './render/render.ts';
import type { Delivery } from './render/resource.ts';
import type { Templates } from './render/templates.ts';
import type { UserBootstrap } from './render/user-bootstrap.ts';
import { type SelectedWorkload, selectWorkloads } from './select.ts';
import type { Snapshot } from './snapshot.ts';
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
   * Names of a gateway's Secrets that are no error when they cannot serve: their servers stay closed. Same names, same
   * object.
   */
  readonly closingSecrets?: ReadonlySet<string> | undefined;
}

/** Snapshot in, Envoy configuration out; pure. Undefined when the bag holds an error. */
export function renderSnapshot(
  snapshot: Snapshot,
  { select, keySets, closingSecrets, ...options }: Selection & RenderOptions,
  bag: DiagnosticBag,
): Compilation | undefined {
  return createSnapshotRenderer(options)(snapshot, { select, keySets, closingSecrets }, bag);
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
  onStep,
}: RenderOptions): RenderSnapshot {
  const renderer = createRenderer(templates, bootstrap, delivery);
  const lowered = createLowerCache();
  const verified = new Verified();

  return (snapshot, { select, keySets, closingSecrets }, bag) => {
    const { settings, topology, effective, policies, decidedRoot } = snapshot;
    const workloads = selectWorkloads(topology, select, bag);
    if (bag.hasErrors) return undefined;
    const { scopeOf } = snapshot;
    const input = { topology, effective, settings, scopeOf, keySets, host, closingSecrets };
    lowered.memoOf(settings).nextRun();
    const count = workloads.length;
    const proxies = workloads.map((workload, i) => {
      onStep?.('compiling proxy', i + 1, count);
      return lower(workload, input, bag, lowered);
    });
    if (bag.hasErrors) return undefined;
    const configs = proxies.flatMap((proxy, i) => {
      onStep?.('rendering proxy', i + 1, count);
      const config = renderer.render(proxy, bag);
      if (config !== undefined) verify(proxy, config, bag, verified);
      return config ?? [];
    });
    if (bag.hasErrors) return undefined;
    const figures = meshFigures(topology, policies, proxies, bag.all);
    return {
      configs,
      workloads,
      decidedRoot,
      get mesh() {
        return meshJson(topology, settings);
      },
      figures,
    };
  };
}
