import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, KeptEach } from '../../diagnostics/kept.ts';
import { append } from '../../lib/append.ts';
import { sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { joinAliases } from './aliases.ts';
import type { TopologyLists } from './lists.ts';
import { commonPorts, mergeEntries } from './merged-entries.ts';
import { nameOf } from './object-name.ts';
import { draftServiceEntry } from './service-entries.ts';
import { draftService, type ServiceDraft } from './services.ts';
import { areSeenTogetherElsewhere } from './visibility.ts';

/** All services as they are written, aliases joined: oldest first, one a host and namespace; a second one is reported. */
export class ServiceDrafts {
  readonly #settings: Settings;
  readonly #all = new Kept<readonly ServiceDraft[]>('service drafts');
  readonly #each = new KeptEach<object, readonly ServiceDraft[]>('service draft');

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  of({ Service, ServiceEntry }: TopologyLists, bag: DiagnosticBag): readonly ServiceDraft[] {
    return this.#all.of([Service, ServiceEntry], bag, (own) => {
      const services = Service.flatMap((service) =>
        this.#each.of(service, [], own, (told) => [draftService(service, this.#settings, told)]),
      );
      const entries = ServiceEntry.flatMap((entry) =>
        this.#each.of(entry, [], own, (told) => draftServiceEntry(entry, this.#settings, told)),
      );
      return oneAHost([...services, ...entries], own);
    });
  }
}

function oneAHost(drafts: readonly ServiceDraft[], bag: DiagnosticBag): readonly ServiceDraft[] {
  const sorted = sortedBy(
    drafts,
    ({ service }) => service.createdAt,
    ({ service }) => `${service.name}.${service.namespace}`,
    ({ service }) => service.host,
    ({ service }) => service.kind,
    ({ service }) => service.object.name,
  );
  const byHost = new Map<string, ServiceDraft[]>();
  // What each draft that is kept has become: another ServiceEntry may add ports to it.
  const kept = new Map<ServiceDraft, ServiceDraft>();
  // The cluster's own services first: whoever may write a ServiceEntry must not take over the host of another namespace.
  for (const draft of sortedBy(sorted, ({ service }) => service.kind)) {
    const { service } = draft;
    const rivals = byHost.get(service.host) ?? [];
    const same = rivals.find((other) => other.service.namespace === service.namespace);
    if (same !== undefined) {
      const before = kept.get(same) ?? same;
      const merged = mergeEntries(before, draft);
      if (merged === undefined) reportDuplicateHost(before, draft, bag);
      else reportCommonPorts(before, draft, bag);
      kept.set(same, merged ?? before);
      continue;
    }
    const other = rivals.find((it) => areSeenTogetherElsewhere(it.service, service));
    if (other !== undefined) reportDuplicateHost(other, draft, bag);
    append(byHost, service.host, draft);
    kept.set(draft, draft);
  }
  return joinAliases(sorted.flatMap((draft) => kept.get(draft) ?? []));
}

function reportCommonPorts(first: ServiceDraft, draft: ServiceDraft, bag: DiagnosticBag): void {
  const ports = commonPorts(first, draft);
  if (ports.length > 0)
    reportSecondDefinition(first, draft, `of the other one port ${ports.join(', ')} is left out`, bag);
}

function reportDuplicateHost(first: ServiceDraft, draft: ServiceDraft, bag: DiagnosticBag): void {
  const isSame = first.service.namespace === draft.service.namespace;
  const effect = isSame ? 'the other one is left out' : 'clients outside both namespaces use that one';
  reportSecondDefinition(first, draft, effect, bag);
}

function reportSecondDefinition(first: ServiceDraft, draft: ServiceDraft, effect: string, bag: DiagnosticBag): void {
  const { host, object } = draft.service;
  const kept = first.service.object;
  bag.report(
    'duplicate-host',
    placeOfHost(draft),
    { host, object: `${object.kind} "${nameOf(object)}"`, kept: `${kept.kind} "${nameOf(kept)}"`, effect },
    { related: [{ message: 'first defined here', span: placeOfHost(first) }] },
  );
}

function placeOfHost({ service }: ServiceDraft) {
  if (service.object.kind !== 'ServiceEntry') return service.object.document.spanOf(['metadata', 'name']);
  const hosts = (service.object as kinds.ServiceEntry).spec.hosts.map((host) => host.toLowerCase());
  return service.object.document.spanOf(['spec', 'hosts', hosts.indexOf(service.host)]);
}
