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
  title: 'mutual TLS of the mesh is asked for where it is automatic',
  why: 'clients that choose by themselves use mutual TLS where the server has it, and plain text where it has no sidecar; with the block they fail there',
  hint: 'remove "tls" unless plain text must never be sent',
  check({ snapshot, report }) {
    if (!snapshot.settings.autoMtls) return;
    for (const { rule, tls, path } of clientTlsOf(snapshot.policies.destinationRules)) {
      if (tls.mode !== 'MESH_MUTUAL' || Object.keys(tls).length > 1) continue;
      const message =
        'mode MESH_MUTUAL turns off the automatic choice, which takes mutual TLS wherever the server has it';
      report({ object: rule, path: [...path, 'mode'], message });
    }
  },
};
