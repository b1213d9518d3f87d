import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { Kept, KeptEach } from '../diagnostics/kept.ts';
import type { Gateway } from '../policy/gateway.ts';
import type { MeshObject } from '../policy/object.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import type { SourceFile } from '../source/document.ts';
import { createCollector } from './collect.ts';
import { createStandard } from './gateway-api/gateway-api.ts';
import { isOfAbsence } from './merge/absence.ts';
import type { ClientScope, Effective } from './merge/effective.ts';
import { clientScope, merge } from './merge/merge.ts';
import { SidecarIndex } from './merge/sidecar-index.ts';
import { createObjectReader } from './read-objects.ts';
import { decideRootNamespace } from './root-namespace.ts';
import type { Snapshot } from './snapshot.ts';
import { type GatewaySelector, gatewaySelectors } from './topology/gateway-selectors.ts';
import { type TopologyLists, topologyKinds } from './topology/lists.ts';
import type { Topology, Workload } from './topology/model.ts';
import { type Presumed, TopologyResolver } from './topology/resolve.ts';

/** What one reader of the mesh remembers of it, and wants to hear. */
export interface AnalysisView {
  /** The root namespace that objects decided on before: what they decide now must be the same. */
  readonly rootBefore: string | undefined;
  /** Policies that apply to no workload are told of this namespace and the root namespace alone; undefined: of all. */
  readonly namespace: string | undefined;
  /**
   * Objects of the last valid inputs, where services come and go: a destination that no service has is a warning then, unless
   * it came with a change of its VirtualService. Absent: it is an error.
   */
  readonly lastValid?: readonly MeshObject<string>[] | undefined;
}

/**
 * Texts in, snapshot of the mesh out; pure. Undefined when the bag holds an error: nothing of a faulty input is given
 * out.
 */
export function analyse(
  {
    files,
    settings,
    view,
  }: {
    readonly files: readonly SourceFile[];
    readonly settings: Settings;
    readonly view?: AnalysisView;
  },
  bag: DiagnosticBag,
): Snapshot | undefined {
  return createAnalyser(settings)(createObjectReader()(files, bag), bag, view);
}

/** From objects, as they were read, to a snapshot; undefined when the bag holds an error. */
export type Analyse = (
  objects: readonly MeshObject<string>[],
  bag: DiagnosticBag,
  view?: AnalysisView,
) => Snapshot | undefined;

/** How an analysis takes its input. */
export interface AnalysisOptions {
  /**
   * The input may leave out who is in the mesh: what is said because something is not there goes to `absences` of the
   * snapshot and is no error.
   */
  readonly isPartial?: boolean;
  /** Workloads of a namespace whose object is not in the input are taken for injected. */
  readonly presumesInjection?: boolean;
  /** What is not read, and tells all the same that there is something: nothing is compiled of it. */
  readonly unread?: readonly UnreadObject[];
}

/**
 * An analysis that remembers: of the same objects it gives the same topology, and the same answers of merging where
 * these come of the same objects.
 */
export function createAnalyser(
  settings: Settings,
  { isPartial = false, presumesInjection = false, unread = [] }: AnalysisOptions = {},
): Analyse {
  const collect = createCollector();
  const withStandard = createStandard(settings);
  const resolve = createResolver(settings, { presumesInjection, unread });
  const under = createRooted(settings);
  const scopes = new KeptEach<Workload, ClientScope>('client scope');
  const silent = new DiagnosticBag();
  let before: Effective | undefined;

  return (objects, bag, view) => {
    const { topology: lists, policies: written, standard } = collect(objects, bag);
    const decidedRoot = decideRootNamespace(objects, settings, bag, view?.rootBefore);
    if (bag.hasErrors) return undefined;
    const told = new DiagnosticBag();
    const surroundings = { standard, services: lists.Service, namespaces: lists.Namespace };
    const { policies, outcome } = withStandard(written, surroundings, told);
    const topology = resolve(lists, policies.gateways, told);
    if (told.all.some(({ code, severity }) => severity === 'error' && !(isPartial && isOfAbsence(code)))) {
      bag.addAll(told.all);
      return undefined;
    }
    const rooted = under(decidedRoot);
    const merged = {
      ...policies,
      topology,
      settings: rooted,
      toldNamespace: view?.namespace,
      lastValid: view?.lastValid,
    };
    const effective = merge(merged, told, before);
    before = effective;
    bag.addAll(isPartial ? told.all.filter(({ code }) => !isOfAbsence(code)) : told.all);
    if (bag.hasErrors) return undefined;
    const scoping = { ...policies, sidecars: new SidecarIndex(policies.sidecars, rooted.rootNamespace) };
    const { destinationRules, virtualServices } = policies;
    return {
      ...{ settings, objects, policies, standard: outcome, topology, effective, decidedRoot },
      diagnostics: [...bag.all],
      absences: isPartial ? told.all.filter(({ code }) => isOfAbsence(code)) : [],
      scopeOf: (workload) =>
        scopes.of(
          workload,
          [destinationRules, virtualServices, effective.inboundPolicies(workload)],
          silent,
          (_, known) => {
            const scope = clientScope(workload, settings, scoping);
            return known?.key === scope.key ? known : scope;
          },
        ),
    };
  };
}

/** The settings with the root namespace that objects decide on: for one decision the same object. */
function createRooted(settings: Settings): (decidedRoot: string | undefined) => Settings {
  const rooted = new Map([[settings.rootNamespace, settings]]);
  return (rootNamespace = settings.rootNamespace) => {
    const found = rooted.get(rootNamespace) ?? { ...settings, rootNamespace };
    rooted.set(rootNamespace, found);
    return found;
  };
}

/** Resolves the topology again only when its objects, or what Gateways select, are others than before. */
function createResolver(settings: Settings, presumed: Presumed) {
  const resolver = new TopologyResolver(settings, presumed);
  const resolved = new Kept<Topology>('topology');
  const selecting = new Kept<readonly GatewaySelector[]>('what Gateways select');
  return (lists: TopologyLists, gateways: readonly Gateway[], bag: DiagnosticBag): Topology => {
    const selectors = selecting.of([gateways], bag, (_, before) => {
      const fresh = gatewaySelectors(gateways, settings);
      return before !== undefined && JSON.stringify(before) === JSON.stringify(fresh) ? before : fresh;
    });
    const inputs = [...topologyKinds.map((kind) => lists[kind]), selectors];
    return resolved.of(inputs, bag, (own) => resolver.resolve(lists, selectors, own));
  };
}
