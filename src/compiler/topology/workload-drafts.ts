import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, KeptEach } from '../../diagnostics/kept.ts';
import { sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { UnreadObject } from '../../policy/unread-object.ts';
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
  readonly #unread: readonly UnreadObject[];
  readonly #all = new Kept<readonly WorkloadDraft[]>('workload drafts');
  readonly #each = new KeptEach<object, WorkloadDraft>('workload draft');

  /** The pod templates of `unread` make workloads too, of which nothing is reported. */
  constructor({
    unread,
    ...context
  }: Pick<WorkloadContext, 'trustDomain' | 'injection' | 'presumedLabels'> & {
    readonly unread: readonly UnreadObject[];
  }) {
    this.#context = context;
    this.#unread = unread;
  }

  /** `namespaces` are the labels of those that the inputs declare. Of two with one name the second is reported and left out. */
  of(lists: TopologyLists, namespaces: WorkloadContext['namespaces'], bag: DiagnosticBag): readonly WorkloadDraft[] {
    const { Node, Pod, WorkloadEntry, WorkloadGroup, Deployment, StatefulSet, DaemonSet, Job } = lists;
    const inputs = [namespaces, Node, Pod, WorkloadEntry, WorkloadGroup, Deployment, StatefulSet, DaemonSet, Job];
    return this.#all.of(inputs, bag, (own) => {
      const drafts = withoutDuplicates(this.#draft(lists, namespaces, own), own);
      return this.#unread.length === 0 ? drafts : byName([...drafts, ...this.#draftUnread(lists.Pod, namespaces)]);
    });
  }

  #draftUnread(pods: readonly kinds.Pod[], namespaces: WorkloadContext['namespaces']): readonly WorkloadDraft[] {
    const made = new LabelIndex(pods);
    const context = { ...this.#context, namespaces, bag: new DiagnosticBag() };
    return this.#unread.flatMap(({ template, ...object }) => {
      if (template === undefined) return [];
      const controller = { ...object, spec: { template } };
      return hasPods(controller, made) ? [] : [controllerWorkload(controller, context)];
    });
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

function byName(drafts: readonly WorkloadDraft[]): readonly WorkloadDraft[] {
  return sortedBy(
    drafts,
    (draft) => draft.namespace,
    (draft) => draft.name,
  );
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
function hasPods(controller: kinds.TemplateHolder, pods: LabelIndex<kinds.Pod>): boolean {
  const labels = controller.spec.template.metadata?.labels ?? {};
  const carriers = pods.select(controller.namespace, labels);
  if (Object.keys(labels).length > 0) return carriers.length > 0;
  return carriers.some((pod) => pod.name.startsWith(`${controller.name}-`));
}
