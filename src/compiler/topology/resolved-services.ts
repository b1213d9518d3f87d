import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, KeptEach, keptList } from '../../diagnostics/kept.ts';
import { ClaimedAddresses } from './claimed-addresses.ts';
import { type EarlierTopology, isSameEndpoint } from './earlier.ts';
import { reportEmptyService } from './empty-service.ts';
import { endpointFacts } from './endpoint-facts.ts';
import { type EndpointCounts, type FoundEndpoints, findEndpoints } from './endpoints.ts';
import type { TopologyLists } from './lists.ts';
import type { Endpoint, EndpointFacts, Service } from './model.ts';
import { RecordIndex, type Records, type Registry } from './registry.ts';
import { ServiceDrafts } from './service-drafts.ts';
import type { ServiceDraft } from './services.ts';
import { type BoundService, type Claim, claimsOf } from './targets.ts';
import type { WorkloadDraft } from './workloads.ts';

/** A service with its endpoints and what it wants of workloads. */
export interface ResolvedService extends BoundService {
  readonly ready: readonly Endpoint[];
  readonly claims: readonly Claim[];
}

interface Found extends FoundEndpoints {
  readonly counts: Readonly<EndpointCounts>;
}

/** A service with all that is behind it. */
interface FoundService extends Found {
  readonly draft: ServiceDraft;
  readonly service: ServiceDraft['service'];
  readonly selected: readonly WorkloadDraft[];
}

/** The services of a mesh that changes; each is resolved again when what it was resolved against is another. */
export class ResolvedServices {
  readonly #settings: Settings;
  readonly #drafts: ServiceDrafts;
  readonly #records = new Kept<RecordIndex>('records by service');
  readonly #selected = new KeptEach<ServiceDraft, readonly WorkloadDraft[]>('selected workloads');
  readonly #endpoints = new KeptEach<ServiceDraft, Found>('endpoints');
  readonly #found = new KeptEach<ServiceDraft, FoundService>('what is behind a service');
  readonly #facts = new WeakMap<readonly Endpoint[], EndpointFacts>();
  readonly #permitted = new Kept<readonly Omit<Service, 'facts'>[]>('permitted addresses');
  readonly #finished = new KeptEach<ServiceDraft, Service>('service');
  readonly #claims = new KeptEach<ServiceDraft, readonly Claim[]>('claims');
  readonly #resolved = new KeptEach<ServiceDraft, ResolvedService>('resolved service');

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#drafts = new ServiceDrafts(settings);
  }

  resolve(
    lists: TopologyLists,
    registry: Registry,
    earlier: EarlierTopology,
    bag: DiagnosticBag,
  ): { readonly services: readonly ResolvedService[]; readonly counts: EndpointCounts } {
    const drafts = this.#drafts.of(lists, bag);
    const { Endpoints, EndpointSlice } = lists;
    const inputs = [Endpoints, EndpointSlice];
    const records = this.#records.of(inputs, bag, (_, before) => new RecordIndex(Endpoints, EndpointSlice, before));
    const counts = { endpointsWithoutPod: 0, endpointsNotReady: 0 };
    const found = drafts.map((draft) => {
      const behind = this.#find(draft, registry, records.of(draft.service), bag);
      counts.endpointsWithoutPod += behind.counts.endpointsWithoutPod;
      counts.endpointsNotReady += behind.counts.endpointsNotReady;
      return behind;
    });
    const claiming = found.flatMap(({ draft, known }) => [draft, known]);
    const permitted = this.#permitted.of(claiming, bag, (own) => {
      const claimed = new ClaimedAddresses(found, own);
      return found.map(({ service }) => claimed.permitted(service));
    });
    const services = found.map((behind, i) =>
      this.#resolve(behind, permitted[i] ?? behind.service, registry, earlier, bag),
    );
    return { services, counts };
  }

  /** What is behind a service, whatever addresses it may claim. */
  #find(draft: ServiceDraft, registry: Registry, records: Records, bag: DiagnosticBag): FoundService {
    return this.#found.of(draft, [registry, records], bag, (own, before) => {
      const selected = this.#select(draft, registry, own);
      const { ready, known, counts } = this.#endpointsOf(draft, { registry, records, selected }, own);
      const isSame = before?.selected === selected && before.ready === ready && before.known === known;
      return isSame && before.counts === counts
        ? before
        : { draft, service: draft.service, selected, ready, known, counts };
    });
  }

  #resolve(
    found: FoundService,
    unbound: Omit<Service, 'facts'>,
    registry: Registry,
    earlier: EarlierTopology,
    bag: DiagnosticBag,
  ): ResolvedService {
    const { draft, known, ready, selected } = found;
    // Without a selector, who an endpoint belongs to decides.
    const by = draft.selector === undefined ? registry : draft;
    return this.#resolved.of(draft, [found, unbound, by], bag, (own) => {
      const facts = this.#factsOf(draft, known, earlier);
      const service = this.#finished.of(draft, [unbound, facts], own, () => earlier.service({ ...unbound, facts }));
      const bound = { draft, service, known };
      const against = draft.selector === undefined ? [service, known, registry] : [service, selected];
      const claims = this.#claims.of(draft, against, own, () => claimsOf(bound, selected, registry));
      return { ...bound, ready, claims };
    });
  }

  #select(draft: ServiceDraft, registry: Registry, bag: DiagnosticBag): readonly WorkloadDraft[] {
    const { service, selector } = draft;
    if (selector === undefined) return nobody;
    return this.#selected.of(draft, [registry], bag, (_, before) =>
      keptList(before, registry.byLabels.select(service.namespace, selector)),
    );
  }

  #endpointsOf(
    draft: ServiceDraft,
    context: { readonly registry: Registry; readonly records: Records; readonly selected: readonly WorkloadDraft[] },
    bag: DiagnosticBag,
  ): Found {
    const { endpoints, slices } = context.records;
    const isRecorded = endpoints !== undefined || slices.length > 0;
    // Endpoints that are written down name workloads by address; of a service that has none its namespace is told too.
    const isByLabels = !isRecorded && context.selected.length > 0;
    const against = isByLabels ? context.selected : context.registry;
    return this.#endpoints.of(draft, [against, endpoints, ...slices], bag, (own, before) => {
      const counts = { endpointsWithoutPod: 0, endpointsNotReady: 0 };
      const found = findEndpoints(draft, { ...context, settings: this.#settings, counts, bag: own });
      if (found.ready.length === 0 && own.all.length === 0) reportEmptyService(draft, context, own);
      const known = sameEndpoints(before?.known, found.known);
      return { known, ready: found.ready === found.known ? known : sameEndpoints(before?.ready, found.ready), counts };
    });
  }

  #factsOf(draft: ServiceDraft, known: readonly Endpoint[], earlier: EarlierTopology): EndpointFacts {
    let facts = this.#facts.get(known);
    if (facts === undefined) {
      facts = earlier.facts(endpointFacts(draft.service.resolution, known));
      this.#facts.set(known, facts);
    }
    return facts;
  }
}

const nobody: readonly WorkloadDraft[] = [];

/** The list of before where it says the same of the same endpoints. */
function sameEndpoints(before: readonly Endpoint[] | undefined, fresh: readonly Endpoint[]): readonly Endpoint[] {
  if (before?.length !== fresh.length) return fresh;
  return before.every((endpoint, i) => isSameEndpoint(endpoint, fresh[i] as Endpoint)) ? before : fresh;
}
