import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { proxiedNamespaces } from '../tls/proxied-namespaces.ts';
import { rulesAlone, servedFor } from '../tls/served-ports.ts';

/** The client is told to speak mutual TLS of the mesh with servers that have no proxy to answer it. */
export const rule: Rule = {
  code: 'mesh-tls-without-sidecar',
  id: 'MP202',
  severity: 'warning',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'topology',
  since: '0.1.0',
  title: 'mutual TLS of the mesh towards workloads without a sidecar',
  why: 'an application without a sidecar does not understand the TLS handshake, so every call fails',
  hint: 'remove "tls", so that clients choose automatically, or give the workloads sidecars',
  check({ snapshot, report, skip }) {
    const proxied = proxiedNamespaces(snapshot);
    for (const { rule, tls, path, isForPort } of clientTlsOf(rulesAlone(snapshot))) {
      if (tls.mode !== 'MESH_MUTUAL') continue;
      const served = servedFor(rule, snapshot).filter(({ target }) => isForPort(target.port.number));
      const [first] = served;
      if (first === undefined || !proxied.has(first.workload.namespace)) {
        skip(rule);
        continue;
      }
      if (served.some(({ workload }) => workload.role !== 'none')) continue;
      report({
        ...{ object: rule, path: [...path, 'mode'] },
        message: `mode MESH_MUTUAL is for workloads with a sidecar, and those of "${first.target.service.host}" have none`,
        related: [
          { object: first.workload.object, path: ['metadata', 'name'], message: 'a workload without a sidecar' },
        ],
      });
    }
  },
};
