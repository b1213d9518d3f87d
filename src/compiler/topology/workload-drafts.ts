import { sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { nameOf } from './object-name.ts';
import { ofKind } from './of-kind.ts';
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

/** All workloads as they are written, by name: of two with one name the second is reported and left out. */
export function draftWorkloads(objects: readonly kinds.TopologyObject[], context: WorkloadContext): WorkloadDraft[] {
  const pods = ofKind(objects, 'Pod');
  const made = new LabelIndex(pods);
  const entries = ofKind(objects, 'WorkloadEntry');
  const declared = ofKind(objects, 'WorkloadGroup');
  const groups = new WorkloadGroups(declared);
  const groupOf = new Map(entries.map((entry) => [entry, groups.of(entry, context.bag)]));
  const controllers = objects.filter((object): object is kinds.WorkloadController => isController(object.kind));
  const drafts = [
    ...pods.filter(isAlive).map((pod) => podWorkload(pod, context)),
    ...entries.map((entry) => entryWorkload(entry, groupOf.get(entry), context)),
    ...declared.filter((group) => !hasEntries(group, entries, groupOf)).map((it) => groupWorkload(it, context)),
    ...controllers.filter((controller) => !hasPods(controller, made)).map((it) => controllerWorkload(it, context)),
  ];
  const sorted = sortedBy(
    drafts,
    (draft) => draft.namespace,
    (draft) => draft.name,
    (draft) => draft.kind,
  );
  return sorted.filter((draft, i) => {
    const first = sorted[i - 1];
    if (first?.namespace !== draft.namespace || first.name !== draft.name) return true;
    context.bag.report(
      'duplicate-workload',
      draft.object.document.spanOf(['metadata', 'name']),
      { kind: draft.kind, otherKind: first.kind, name: nameOf(draft) },
      { related: [{ message: 'the other one', span: first.object.document.spanOf(['metadata', 'name']) }] },
    );
    return false;
  });
}

function isController(kind: string): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet' || kind === 'Job';
}

/** Pods carry their template's labels; a template without labels is known by the names of its pods. */
function hasPods(controller: kinds.WorkloadController, pods: LabelIndex<kinds.Pod>): boolean {
  const labels = controller.spec.template.metadata?.labels ?? {};
  const carriers = pods.select(controller.namespace, labels);
  if (Object.keys(labels).length > 0) return carriers.length > 0;
  return carriers.some((pod) => pod.name.startsWith(`${controller.name}-`));
}
