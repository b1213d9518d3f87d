import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, KeptEach } from '../../diagnostics/kept.ts';
import { sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { TopologyLists } from './lists.ts';
import { localityOfNode } from './locality.ts';
import { nameOf } from './object-name.ts';
import { LabelIndex } from './selector.ts';
import { hasEntries, WorkloadGroups } from './workload-groups.ts';
import {
  controllerWorkload,
  entryWorkload,
  groupWorkload,
  isAlive,
  podWorkload,
  type WorkloadContext,
  type WorkloadDraft,
} from './workloads.ts';

/** All workloads as they are written, by namespace and name. An object that is as it was gives the same draft. */
export class WorkloadDrafts {
  readonly #context: Pick<WorkloadContext, 'trustDomain' | 'injection' | 'presumedLabels'>;
  readonly #all = new Kept<readonly WorkloadDraft[]>('workload drafts');
  readonly #each = new KeptEach<object, WorkloadDraft>('workload draft');

  constructor(context: Pick<WorkloadContext, 'trustDomain' | 'injection' | 'presumedLabels'>) {
    this.#context = context;
  }

  /** `namespaces` are the labels of those that the inputs declare. Of two with one name the second is reported and left out. */
  of(lists: TopologyLists, namespaces: WorkloadContext['namespaces'], bag: DiagnosticBag): readonly WorkloadDraft[] {
    const { Node, Pod, WorkloadEntry, WorkloadGroup, Deployment, StatefulSet, DaemonSet, Job } = lists;
    const inputs = [namespaces, Node, Pod, WorkloadEntry, WorkloadGroup, Deployment, StatefulSet, DaemonSet, Job];
    return this.#all.of(inputs, bag, (own) => withoutDuplicates(this.#draft(lists, namespaces, own), own));
  }

  #draft(
    { Node: nodes, Pod: pods, WorkloadEntry: entries, WorkloadGroup: declared, ...lists }: TopologyLists,
    namespaces: WorkloadContext['namespaces'],
    bag: DiagnosticBag,
  ): WorkloadDraft[] {
    const groups = new WorkloadGroups(declared);
    const groupOf = new Map(entries.map((entry) => [entry, groups.of(entry, bag)]));
    const controllers = [...lists.Deployment, ...lists.StatefulSet, ...lists.DaemonSet, ...lists.Job];
    const localities = new Map(nodes.map(({ name, labels }) => [name, localityOfNode(labels)]));
    const made = new LabelIndex(controllers.length === 0 ? [] : pods);
    const each = (
      object: kinds.TopologyObject,
      group: kinds.WorkloadGroup | undefined,
      make: (context: WorkloadContext) => WorkloadDraft,
      locality?: string,
    ): WorkloadDraft =>
      this.#each.of(object, [namespaces.get(object.namespace), group, locality], bag, (own) =>
        make({ ...this.#context, namespaces, bag: own }),
      );
    return [
      ...pods.filter(isAlive).map((pod) => {
        const ofNode = localities.get(pod.spec.nodeName ?? '');
        return each(pod, undefined, (context) => podWorkload(pod, ofNode, context), ofNode);
      }),
      ...entries.map((entry) => {
        const group = groupOf.get(entry);
        return each(entry, group, (context) => entryWorkload(entry, group, context));
      }),
      ...declared
        .filter((group) => !hasEntries(group, entries, groupOf))
        .map((group) => each(group, undefined, (context) => groupWorkload(group, context))),
      ...controllers
        .filter((controller) => !hasPods(controller, made))
        .map((controller) => each(controller, undefined, (context) => controllerWorkload(controller, context))),
    ];
  }
}

function withoutDuplicates(drafts: readonly WorkloadDraft[], bag: DiagnosticBag): readonly WorkloadDraft[] {
  const sorted = sortedBy(
    drafts,
    (draft) => draft.namespace,
    (draft) => draft.name,
    (draft) => draft.kind,
  );
  return sorted.filter((draft, i) => {
    const first = sorted[i - 1];
    if (first?.namespace !== draft.namespace || first.name !== draft.name) return true;
    bag.report(
      'duplicate-workload',
      draft.object.document.spanOf(['metadata', 'name']),
      { kind: draft.kind, otherKind: first.kind, name: nameOf(draft) },
      { related: [{ message: 'the other one', span: first.object.document.spanOf(['metadata', 'name']) }] },
    );
    return false;
  });
}

/** Pods carry their template's labels; a template without labels is known by the names of its pods. */
function hasPods(controller: kinds.WorkloadController, pods: LabelIndex<kinds.Pod>): boolean {
  const labels = controller.spec.template.metadata?.labels ?? {};
  const carriers = pods.select(controller.namespace, labels);
  if (Object.keys(labels).length > 0) return carriers.length > 0;
  return carriers.some((pod) => pod.name.startsWith(`${controller.name}-`));
}
