import { sourceValues } from '../authorization/walk.ts';
import { namesByNamespace } from '../misspelling.ts';
import type { Rule } from '../rule.ts';

/** A service account that no workload of its namespace has, while one has almost the same. */
export const rule: Rule = {
  code: 'unknown-service-account',
  id: 'MP312',
  peers: ['KIA0106'],
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a principal whose service account no workload has: a misspelt one, or the name of a workload',
  why: 'no client has that identity: in "principals" it matches nobody, and in "notPrincipals" it exempts nobody',
  hint: 'write the service account of a workload',
  check({ snapshot, report, skip }) {
    const accounts = namesByNamespace(
      snapshot.topology.workloads.map(({ namespace, serviceAccount }) => ({ namespace, name: serviceAccount })),
    );
    // A workload is often taken for the account that it runs as.
    const accountOf = new Map(
      snapshot.topology.workloads.map((it) => [`${it.namespace}/${it.name}`, it.serviceAccount] as const),
    );
    for (const at of sourceValues(snapshot, 'principals', 'notPrincipals')) {
      const [, namespace = '', account = ''] = /^[^/*]+\/ns\/([^/*]+)\/sa\/([^/*]+)$/.exec(at.value) ?? [];
      const known = accounts.get(namespace);
      if (account === '' || known?.has(account)) continue;
      const meant = known?.meantBy(account) ?? accountOf.get(`${namespace}/${account}`);
      if (meant === undefined) {
        skip(at.policy);
        continue;
      }
      const message = `"${at.value}" names the service account "${account}", which no workload of "${namespace}" has`;
      report({ object: at.policy, path: at.path, message, hint: `did you mean "${meant}"?` });
    }
  },
};
