import { namesByNamespace } from '../../lib/known-names.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { operationValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A name within the cluster that no service has, while one has almost the same. */
export const rule: Rule = {
  code: 'unknown-host-in-rule',
  id: 'MP315',
  peers: ['KIA0104'],
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a host in an access rule that no service has, spelt almost like that of a service',
  why: 'no request is for that host: in "hosts" it matches no request, and in "notHosts" it exempts none',
  hint: 'write the host of a service, or the name by which clients reach it',
  check({ snapshot, report, skip }) {
    const names = namesByNamespace(snapshot.topology.services.filter(({ kind }) => kind === 'Service'));
    for (const at of operationValues(snapshot, 'hosts', 'notHosts')) {
      const [, name = '', namespace = ''] = /^([^.:*]+)\.([^.:*]+)\.svc(?:\.[^:*]+)?(?::\d+)?$/.exec(at.value) ?? [];
      const known = names.get(namespace);
      if (name === '' || known?.has(name)) continue;
      const meant = known?.meantBy(name);
      if (meant === undefined) {
        skip(at.policy);
        continue;
      }
      const message = `"${at.value}" names the service "${name}", and "${namespace}" has none of that name`;
      const why = whyIdle(at.policy, at.field === 'notHosts', 'no request is for that host');
      report({ object: at.policy, path: at.path, message, why, hint: `did you mean "${meant}"?` });
    }
  },
};
