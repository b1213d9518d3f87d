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

/** The services of a mesh that changes; each is resolved again when what it was resolved against is another. */
export class ResolvedServices {
  readonly #settings: Settings;
  readonly #drafts: ServiceDrafts;
  readonly #records = new Kept<RecordIndex>('records by service');
  readonly #selected = new KeptEach<ServiceDraft, readonly WorkloadDraft[]>('selected workloads');
  readonly #found = new KeptEach<ServiceDraft, Found>('endpoints');
  readonly #facts = new WeakMap<readonly Endpoint[], EndpointFacts>();
  readonly #permitted = new Kept<readonly Omit<Service, 'facts'>[]>('permitted addresses');
  readonly #finished = new KeptEach<ServiceDraft, Service>('service');
  readonly #claims = new KeptEach<ServiceDraft, readonly Claim[]>('claims');

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
    const records = this.#records.of([Endpoints, EndpointSlice], bag, () => new RecordIndex(Endpoints, EndpointSlice));
    const counts = { endpointsWithoutPod: 0, endpointsNotReady: 0 };
    const found = drafts.map((draft) => {
      const selected = this.#select(draft, registry, bag);
      const endpoints = this.#find(draft, { registry, records: records.of(draft.service), selected }, bag);
      counts.endpointsWithoutPod += endpoints.counts.endpointsWithoutPod;
      counts.endpointsNotReady += endpoints.counts.endpointsNotReady;
      return { draft, service: draft.service, selected, ...endpoints };
    });
    const claiming = found.flatMap(({ draft, known }) => [draft, known]);
    const permitted = this.#permitted.of(claiming, bag, (own) => {
      const claimed = new ClaimedAddresses(found, own);
      return found.map(({ service }) => claimed.permitted(service));
    });
    const services = found.map(({ draft, known, ready, selected }, i) => {
      const unbound = permitted[i] ?? draft.service;
      const facts = this.#factsOf(draft, known, earlier);
      const service = this.#finished.of(draft, [unbound, facts], bag, () => earlier.service({ ...unbound, facts }));
      const bound = { draft, service, known };
      const against = draft.selector === undefined ? [service, known, registry] : [service, selected];
      const claims = this.#claims.of(draft, against, bag, () => claimsOf(bound, selected, registry));
      return { ...bound, ready, claims };
    });
    return { services, counts };
  }

  #select(draft: ServiceDraft, registry: Registry, bag: DiagnosticBag): readonly WorkloadDraft[] {
    const { service, selector } = draft;
    if (selector === undefined) return nobody;
    return this.#selected.of(draft, [registry], bag, (_, before) =>
      keptList(before, registry.byLabels.select(service.namespace, selector)),
    );
  }

  #find(
    draft: ServiceDraft,
    context: { readonly registry: Registry; readonly records: Records; readonly selected: readonly WorkloadDraft[] },
    bag: DiagnosticBag,
  ): Found {
    const { endpoints, slices } = context.records;
    const isRecorded = endpoints !== undefined || slices.length > 0;
    // Endpoints that are written down name workloads by address; of a service that has none its namespace is told too.
    const isByLabels = !isRecorded && context.selected.length > 0;
    const against = isByLabels ? context.selected : context.registry;
    return this.#found.of(draft, [against, endpoints, ...slices], bag, (own, before) => {
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
