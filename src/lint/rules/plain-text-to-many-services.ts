import { isWildcard } from '../../compiler/topology/host.ts';
import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';

/** One pattern takes mutual TLS away from all services of a namespace, or of the mesh. */
export const rule: Rule = {
  code: 'plain-text-to-many-services',
  id: 'MP209',
  severity: 'warning',
  category: 'client-tls',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title: 'plain text towards every service that a wildcard host matches',
  why: 'calls to all these services, also to services that are added later, can be read on the network and carry no identity',
  hint: 'name the service that has no sidecar, or remove "tls", so that clients choose automatically',
  check({ snapshot, report }) {
    const { clusterDomain } = snapshot.settings;
    for (const { rule, tls, path } of clientTlsOf(snapshot.policies.destinationRules)) {
      const { host } = rule.spec;
      // Other patterns are of hosts outside of the mesh, whose calls carry the TLS of the application.
      const isOfMesh = host === '*' || host === '*.local' || host.toLowerCase().endsWith(`.${clusterDomain}`);
      if (tls.mode !== 'DISABLE' || !isWildcard(host) || !isOfMesh) continue;
      const message = `mode DISABLE sends plain text to every service of "${host}"`;
      report({ object: rule, path: [...path, 'mode'], message });
    }
  },
};
