import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { servedFor } from '../tls/served-ports.ts';

/** What the proxies would agree on with each server without the block, and can no longer adapt with it. */
export const rule: Rule = {
  code: 'mesh-tls-as-automatic',
  id: 'MP208',
  severity: 'info',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'mutual TLS of the mesh is required explicitly, and some servers have no sidecar',
  why: 'without the setting, clients use mutual TLS if the server has a sidecar and plain text if it has none; with the setting, calls to servers without a sidecar fail',
  hint: 'remove "tls" unless plain text must never be sent',
  check({ snapshot, report, skip }) {
    if (!snapshot.settings.autoMtls) return;
    for (const { rule, tls, path, isForPort } of clientTlsOf(snapshot.policies.destinationRules)) {
      if (tls.mode !== 'MESH_MUTUAL' || Object.keys(tls).length > 1) continue;
      const served = servedFor(rule, snapshot).filter(({ target }) => isForPort(target.port.number));
      const bare = served.find(({ workload }) => workload.role === 'none');
      if (served.length === 0) skip(rule);
      if (bare === undefined || served.every(({ workload }) => workload.role === 'none')) continue;
      report({
        ...{ object: rule, path: [...path, 'mode'] },
        message: 'mode MESH_MUTUAL turns off the automatic choice, and some workloads of the host have no sidecar',
        related: [
          { object: bare.workload.object, path: ['metadata', 'name'], message: 'a workload without a sidecar' },
        ],
      });
    }
  },
};
