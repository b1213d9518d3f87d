import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { WorkloadEntry, WorkloadEntrySpec, WorkloadGroup } from '../../policy/topology-kinds.ts';
import { nameOf } from './object-name.ts';
import { type Labels, selects } from './selector.ts';

/** Names the group of its namespace that an entry belongs to; Istio writes it to the entries that it registers. */
export const groupAnnotation = 'mesh.io/autoRegistrationGroup';

/**
 * Of ServiceEntries and WorkloadEntries that a registry of services makes: the service in that registry. A WorkloadGroup of
 * this name says who the machines of the service are, if there is one.
 */
export const catalogAnnotation = 'mesh.io/catalogService';

/** WorkloadGroups by name, and which entries are theirs. */
export class WorkloadGroups {
  readonly #byName: ReadonlyMap<string, WorkloadGroup>;

  constructor(groups: readonly WorkloadGroup[]) {
    this.#byName = new Map(groups.map((group) => [nameOf(group), group]));
  }

  /** The group that the entry names by its annotation or as its owner, which is reported if it is not there; or that of its service. */
  of(entry: WorkloadEntry, bag: DiagnosticBag): WorkloadGroup | undefined {
    const service = entry.annotations[catalogAnnotation];
    if (service !== undefined) return this.#byName.get(nameOf({ namespace: entry.namespace, name: service }));
    const annotated = entry.annotations[groupAnnotation];
    const name = annotated ?? ownerOf(entry);
    if (name === undefined) return undefined;
    const group = this.#byName.get(nameOf({ namespace: entry.namespace, name }));
    if (group === undefined) {
      const path = ['metadata', ...(annotated === undefined ? ['ownerReferences'] : ['annotations', groupAnnotation])];
      bag.report('unknown-workload-group', entry.document.spanOf(path), { name: nameOf(entry), group: name });
    }
    return group;
  }
}

/** Labels of every machine of the group: those of its metadata over those of its template, as Istio merges them. */
export function labelsOfGroup({ spec }: WorkloadGroup): Labels {
  return { ...spec.template.labels, ...spec.metadata?.labels };
}

/** What an entry says, and what its group says where the entry is silent. */
export function specOfMember({ spec }: WorkloadEntry, group: WorkloadGroup | undefined): WorkloadEntrySpec {
  if (group === undefined) return spec;
  const { address: _ofNobody, ...template } = group.spec.template;
  return { ...template, ...spec, ports: { ...template.ports, ...spec.ports } };
}

/** Whether a group has entries: those that name it, and those that carry all its labels, as pods carry a controller's. */
export function hasEntries(
  group: WorkloadGroup,
  entries: readonly WorkloadEntry[],
  groupOf: ReadonlyMap<WorkloadEntry, WorkloadGroup | undefined>,
): boolean {
  const labels = labelsOfGroup(group);
  const hasLabels = Object.keys(labels).length > 0;
  return entries.some((entry) => {
    if (entry.namespace !== group.namespace) return false;
    return groupOf.get(entry) === group || (hasLabels && selects(labels, { ...entry.labels, ...entry.spec.labels }));
  });
}

interface Owner {
  readonly kind?: string;
  readonly name?: string;
}

/** The schema of metadata has checked the owners. */
function ownerOf({ document }: WorkloadEntry): string | undefined {
  const { ownerReferences } = (document.value.metadata ?? {}) as { readonly ownerReferences?: readonly Owner[] | null };
  return ownerReferences?.find(({ kind }) => kind === 'WorkloadGroup')?.name;
}
