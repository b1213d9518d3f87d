import type { Rule } from '../rule.ts';

/** What stands before the slash is the namespace of the service; the name of a Service says it once more. */
export const rule: Rule = {
  code: 'egress-host-of-other-namespace',
  id: 'MP643',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Sidecar'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a host of a Sidecar whose namespace before the slash is not the one in its name',
  why: 'no service is in both namespaces, so the entry imports nothing, and the workloads do not know the service',
  hint: 'write the namespace of the service before the slash',
  check({ snapshot, report }) {
    const { clusterDomain } = snapshot.settings;
    // A ServiceEntry may have the host of a Service of another namespace.
    const declared = new Set(snapshot.topology.services.map(({ namespace, host }) => `${namespace}/${host}`));
    for (const object of snapshot.policies.sidecars) {
      for (const [i, { hosts = [] }] of (object.spec.egress ?? []).entries()) {
        for (const [j, entry] of hosts.entries()) {
          const slash = entry.indexOf('/');
          const [before, host] = [entry.slice(0, Math.max(slash, 0)), entry.slice(slash + 1)];
          const namespace = before === '.' ? object.namespace : before;
          const own = host.endsWith(`.svc.${clusterDomain}`)
            ? host.split('.').at(-2 - clusterDomain.split('.').length)
            : undefined;
          if (['', '*', '~'].includes(before) || own === undefined || own === '*' || own === namespace) continue;
          if (declared.has(`${namespace}/${host}`)) continue;
          report({
            ...{ object, path: ['spec', 'egress', i, 'hosts', j] },
            message: `"${host}" is a host of namespace "${own}", and the entry looks for it in namespace "${namespace}"`,
            hint: `write "${own}/${host}"`,
          });
        }
      }
    }
  },
};
