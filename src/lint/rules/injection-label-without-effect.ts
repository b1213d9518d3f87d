import { injectKey, namespaceKey } from '../../compiler/topology/injection.ts';
import type { Rule } from '../rule.ts';

const understood: ReadonlySet<string> = new Set(['enabled', 'disabled']);

/** The label of a namespace knows two words; a pod's own label, which knows others, is often taken for it. */
export const rule: Rule = {
  code: 'injection-label-without-effect',
  id: 'MP115',
  severity: 'warning',
  category: 'peer-authentication',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['Namespace'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a label of a namespace that is meant for injection and has no effect',
  why: 'the label as it is written switches nothing on: pods that have no label of their own get no sidecar, and no policy is in force for them',
  hint: 'write the label "mesh-injection: enabled"',
  check({ snapshot, report }) {
    for (const object of snapshot.objects) {
      if (object.kind !== 'Namespace') continue;
      for (const [key, isRight] of [
        [namespaceKey, (value: string) => understood.has(value)],
        [injectKey, () => false],
      ] as const) {
        const value = object.labels[key];
        if (value === undefined || isRight(value)) continue;
        const message =
          key === injectKey
            ? `label "${key}" is for pods: on a namespace it has no effect`
            : `label "${key}" is "${value}", expected "enabled" or "disabled"`;
        report({ object, path: ['metadata', 'labels', key], message });
      }
    }
  },
};
