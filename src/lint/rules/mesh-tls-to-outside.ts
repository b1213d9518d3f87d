import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { hostOf } from '../tls/served-ports.ts';

/** Servers outside of the mesh do not know its certificates. */
export const rule: Rule = {
  code: 'mesh-tls-to-outside',
  id: 'MP212',
  severity: 'warning',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'mutual TLS of the mesh towards a host outside of the mesh',
  why: 'the server does not trust certificates of the mesh, and its own certificate has no identity of the mesh, so every call fails',
  hint: 'write mode SIMPLE for a server with a public certificate, MUTUAL with the files of a certificate that it trusts, or remove "tls"',
  check({ snapshot, report }) {
    const outside = new Map(
      snapshot.topology.services
        .filter(({ isExternal, subjectAltNames }) => isExternal && subjectAltNames.length === 0)
        .map((service) => [service.host, service]),
    );
    for (const { rule, tls, path } of clientTlsOf(snapshot.policies.destinationRules)) {
      const service = tls.mode === 'MESH_MUTUAL' ? outside.get(hostOf(rule, snapshot)) : undefined;
      if (service === undefined) continue;
      report({
        ...{ object: rule, path: [...path, 'mode'] },
        message: `"${service.host}" is outside of the mesh, and mode MESH_MUTUAL is for servers of the mesh`,
        hint: service.ports.every(({ protocol }) => protocol === 'tls' || protocol === 'https') ? hintOfTls : undefined,
        related: [{ object: service.object, path: ['spec', 'hosts'], part: 'key', message: 'its ServiceEntry' }],
      });
    }
  },
};

/** With TLS of the proxy around that of the client, the server gets bytes that it does not understand. */
const hintOfTls = 'remove "tls": on a port of protocol TLS or HTTPS the applications send TLS by themselves';
