import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';

/** What the proxies would agree on without the block, and can no longer adapt with it. */
export const rule: Rule = {
  code: 'mesh-tls-as-automatic',
  id: 'MP208',
  severity: 'info',
  category: 'client-tls',
  direction: 'none',
  confidence: 'certain',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title: 'mutual TLS of the mesh is required explicitly, although it is automatic',
  why: 'without the setting, clients use mutual TLS if the server has a sidecar and plain text if it has none; with the setting, calls to servers without a sidecar fail',
  hint: 'remove "tls" unless plain text must never be sent',
  check({ snapshot, report }) {
    if (!snapshot.settings.autoMtls) return;
    for (const { rule, tls, path } of clientTlsOf(snapshot.policies.destinationRules)) {
      if (tls.mode !== 'MESH_MUTUAL' || Object.keys(tls).length > 1) continue;
      const message =
        'mode MESH_MUTUAL turns off the automatic choice, which uses mutual TLS wherever the server has a sidecar';
      report({ object: rule, path: [...path, 'mode'], message });
    }
  },
};
