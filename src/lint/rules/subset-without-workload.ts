import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { type Labels, selects } from '../../compiler/topology/selector.ts';
import { KnownNames } from '../../lib/known-names.ts';
import type { Rule } from '../rule.ts';
import { hostOf, servedFor } from '../tls/served-ports.ts';

/** A subset that routes use, and whose labels no pod of the service has. */
export const rule: Rule = {
  code: 'subset-without-workload',
  id: 'MP626',
  peers: ['KIA0203'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a subset whose labels no workload of the service has, while others have other values',
  why: 'the subset has no endpoint, so requests that are routed there get 503',
  hint: 'write the labels of the pods',
  check({ snapshot, report, skip }) {
    const { policies, settings } = snapshot;
    const routed = new Set(
      policies.virtualServices.flatMap((object) =>
        destinationsOf(object).map(
          ({ destination: { host, subset } }) =>
            `${resolveShortName(host, object.namespace, settings.clusterDomain)} ${subset}`,
        ),
      ),
    );
    for (const rule of policies.destinationRules) {
      const { subsets = [] } = rule.spec;
      if (subsets.length === 0) continue;
      const served = servedFor(rule, snapshot);
      const workloads = served.map(({ workload }) => workload);
      if (workloads.length === 0) skip(rule);
      for (const [i, { name, labels = {} }] of subsets.entries()) {
        if (workloads.length === 0 || workloads.some((workload) => selects(labels, workload.labels))) continue;
        const wrong = misspeltKey(labels, workloads);
        if (wrong !== undefined) {
          report({
            ...{ object: rule, path: ['spec', 'subsets', i, 'labels', wrong.key], part: 'key' },
            message: `no workload of "${hostOf(rule, snapshot)}" has a label "${wrong.key}"`,
            hint: `did you mean "${wrong.meant}"?`,
          });
          continue;
        }
        if (served.some(({ target }) => snapshot.topology.unseenIn.has(target.service.namespace))) continue;
        if (!routed.has(`${hostOf(rule, snapshot)} ${name}`)) continue;
        // The key of a label that no pod has in this way: its other values tell that the value is wrong.
        const key = Object.keys(labels).find(
          (it) =>
            workloads.some((workload) => workload.labels[it] !== undefined) &&
            workloads.every((workload) => workload.labels[it] !== labels[it]),
        );
        if (key === undefined) continue;
        const others = [...new Set(workloads.flatMap((workload) => workload.labels[key] ?? []))].sort().slice(0, 5);
        report({
          ...{ object: rule, path: ['spec', 'subsets', i, 'labels', key] },
          message: `no workload of "${hostOf(rule, snapshot)}" has the label "${key}: ${labels[key]}", expected ${others.map((it) => `"${it}"`).join(' or ')}`,
        });
      }
    }
  },
};

/** A key that no workload has, and that is spelt almost like one that they have. */
function misspeltKey(
  labels: Labels,
  workloads: readonly Workload[],
): { readonly key: string; readonly meant: string } | undefined {
  const known = new KnownNames(workloads.flatMap((workload) => Object.keys(workload.labels)));
  for (const key of Object.keys(labels)) {
    const meant = known.has(key) ? undefined : known.meantBy(key);
    if (meant !== undefined) return { key, meant };
  }
  return undefined;
}
