import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, KeptEach, keptList } from '../../diagnostics/kept.ts';
import { compareStrings } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { UnreadObject } from '../../policy/unread-object.ts';
import { familiesOf } from './address.ts';
import { EarlierTopology } from './earlier.ts';
import { type GatewaySelector, roleUnder } from './gateway-selectors.ts';
import { injectedNamespace } from './injection.ts';
import { listsOf, type TopologyLists } from './lists.ts';
import type { IpFamily, ServiceTarget, Topology, Workload } from './model.ts';
import { Registry } from './registry.ts';
import { ResolvedServices } from './resolved-services.ts';
import type { Labels } from './selector.ts';
import { bindTargets } from './targets.ts';
import { reportUnusedEntries } from './unused-entries.ts';
import { WorkloadDrafts } from './workload-drafts.ts';
import type { WorkloadDraft } from './workloads.ts';

/** Resolves objects once; a mesh that changes has a `TopologyResolver`. */
export function resolveTopology(
  objects: readonly kinds.TopologyObject[],
  settings: Settings,
  bag: DiagnosticBag,
  gateways: readonly GatewaySelector[] = [],
): Topology {
  return new TopologyResolver(settings).resolve(listsOf(objects), gateways, bag);
}

/** What a resolver takes for granted beside the objects that it is given. */
export interface Presumed {
  /** Workloads of a namespace without an object are taken for injected. */
  readonly presumesInjection: boolean;
  readonly unread: readonly UnreadObject[];
}

/**
 * Who there is in the mesh: services with their endpoints, workloads with what is delivered to them. From one resolution to
 * the next a service, a workload or a list of which nothing has changed is the same object as before, and only what depends
 * on other objects than before is looked at again.
 */
export class TopologyResolver {
  readonly #declared = new Kept<ReadonlyMap<string, Labels>>('declared namespaces');
  readonly #unread: readonly UnreadObject[];
  readonly #unseenIn: ReadonlySet<string>;
  readonly #workloads: WorkloadDrafts;
  readonly #services: ResolvedServices;
  readonly #registry = new Kept<Registry>('workloads by label and address');
  readonly #targets = new Kept<ReadonlyMap<WorkloadDraft, readonly ServiceTarget[]>>('targets');
  readonly #finished = new KeptEach<WorkloadDraft, Workload>('workload');
  readonly #all = new Kept<readonly Workload[]>('workloads');
  readonly #endpoints = new Kept<Topology['endpoints']>('lists of endpoints');
  #last: Topology | undefined;

  constructor(settings: Settings, { presumesInjection, unread }: Presumed = { presumesInjection: false, unread: [] }) {
    const presumedLabels = presumesInjection ? injectedNamespace : {};
    const { trustDomain, injection } = settings;
    this.#unread = unread;
    this.#unseenIn = new Set(unread.flatMap(({ mayFill }) => mayFill));
    this.#workloads = new WorkloadDrafts({ trustDomain, injection, presumedLabels, unread });
    this.#services = new ResolvedServices(settings);
  }

  /** `gateways` make gateway workloads. */
  resolve(lists: TopologyLists, gateways: readonly GatewaySelector[], bag: DiagnosticBag): Topology {
    const last = this.#last;
    const earlier = new EarlierTopology(last);
    const declared = this.#declared.of([lists.Namespace], bag, (_, before) => declaredIn(lists, before));
    const drafts = this.#workloads.of(lists, declared, bag);
    const registry = this.#registry.of([drafts], bag, () => new Registry(drafts, this.#unseenIn));
    const { services, counts } = this.#services.resolve(lists, registry, earlier, bag);
    const claims = services.map((service) => service.claims);
    const targets = this.#targets.of(claims, bag, (own, before) => keptTargets(bindTargets(claims, own), before));
    const workloads = this.#all.of([drafts, targets, gateways], bag, (own, before) => {
      const finished = drafts.map((draft) => {
        const bound = targets.get(draft) ?? none;
        return this.#finished.of(draft, [bound, gateways], own, () =>
          earlier.workload(finishWorkload(draft, bound, gateways)),
        );
      });
      return keptList(before, finished);
    });
    reportUnusedEntries(workloads, services, bag);
    const ready = [...services.map(({ service }) => service), ...services.map((service) => service.ready)];
    const podsWithoutIp = drafts.filter((draft) => draft.kind === 'Pod' && !draft.addresses.length).length;
    this.#last = {
      namespaces: earlier.namespaces(namespacesOf(lists, this.#unread)),
      services: keptList(
        last?.services,
        services.map(({ service }) => service),
      ),
      endpoints: this.#endpoints.of(ready, bag, () => new Map(services.map((it) => [it.service, it.ready]))),
      workloads,
      unseenIn: this.#unseenIn,
      secrets: lists.Secret,
      counts: { ...counts, podsWithoutIp },
    };
    return this.#last;
  }
}

const none: readonly ServiceTarget[] = [];

/** Labels that are the same objects stay the same map. */
function declaredIn({ Namespace }: TopologyLists, before: ReadonlyMap<string, Labels> | undefined) {
  const declared = new Map(Namespace.map(({ name, labels }) => [name, labels]));
  const isSame = before?.size === declared.size && [...declared].every(([name, labels]) => before.get(name) === labels);
  return isSame ? before : declared;
}

function namespacesOf(lists: TopologyLists, unread: readonly UnreadObject[]): Map<string, Labels> {
  const labels = new Map<string, Labels>();
  for (const { name, labels: own } of lists.Namespace) labels.set(name, own);
  for (const list of Object.values(lists)) {
    let before: string | undefined;
    for (const { namespace } of list) {
      if (namespace !== before && namespace !== '' && !labels.has(namespace)) labels.set(namespace, {});
      before = namespace;
    }
  }
  for (const { namespace } of unread) if (!labels.has(namespace)) labels.set(namespace, {});
  return new Map([...labels].sort(([a], [b]) => compareStrings(a, b)));
}

/** The list of before for each workload whose targets are the same. */
function keptTargets(
  fresh: ReadonlyMap<WorkloadDraft, readonly ServiceTarget[]>,
  before: ReadonlyMap<WorkloadDraft, readonly ServiceTarget[]> | undefined,
): ReadonlyMap<WorkloadDraft, readonly ServiceTarget[]> {
  if (before === undefined) return fresh;
  return new Map(
    [...fresh].map(([draft, targets]) => {
      const known = before.get(draft);
      const isSame = known?.length === targets.length && known.every((target, i) => isSameTarget(target, targets[i]));
      return [draft, isSame ? known : targets];
    }),
  );
}

function isSameTarget(a: ServiceTarget, b: ServiceTarget | undefined): boolean {
  return a.service === b?.service && a.port === b.port && a.targetPort === b.targetPort;
}

function finishWorkload(
  draft: WorkloadDraft,
  targets: readonly ServiceTarget[],
  gateways: readonly GatewaySelector[],
): Workload {
  const { dialed, hasSidecar, weight, sharesAddress, isPresumed, ...workload } = draft;
  const own = familiesOf(draft.addresses);
  const families = own.length > 0 ? own : familiesOf(targets.flatMap(({ service }) => service.addresses));
  const fallback: readonly IpFamily[] = ['ipv4'];
  const role = roleUnder(gateways, draft);
  return { ...workload, role, families: families.length > 0 ? families : fallback, targets };
}
