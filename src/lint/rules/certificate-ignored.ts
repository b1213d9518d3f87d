import type { ServerTlsSettings } from '../../policy/gateway.ts';
import type { Rule } from '../rule.ts';

const certificateFields = ['serverCertificate', 'privateKey', 'caCertificates', 'credentialName'] as const;

/** A gateway that passes TLS through to the services behind it shows no certificate of its own. */
export const rule: Rule = {
  code: 'certificate-ignored',
  id: 'MP618',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['Gateway'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a certificate on a gateway server that passes TLS through',
  why: 'the gateway does not decrypt these connections: clients get the certificate of the service behind it',
  hint: 'remove the field, or write mode SIMPLE or MUTUAL if the gateway is to decrypt',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.gateways) {
      for (const [i, { port, tls }] of object.spec.servers.entries()) {
        if (tls === undefined || !['HTTPS', 'TLS'].includes(port.protocol.toUpperCase())) continue;
        const { mode = 'PASSTHROUGH' } = tls;
        if (mode !== 'PASSTHROUGH' && mode !== 'AUTO_PASSTHROUGH') continue;
        for (const field of certificatesOf(tls)) {
          const message = `"${field}" has no effect with TLS mode ${mode}`;
          report({ object, path: ['spec', 'servers', i, 'tls', field], part: 'key', message });
        }
      }
    }
  },
};

function certificatesOf(tls: ServerTlsSettings): readonly string[] {
  return certificateFields.filter((field) => tls[field]);
}
