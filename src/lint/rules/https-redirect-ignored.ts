import type { Rule } from '../rule.ts';

/** Only plaintext HTTP is sent on to HTTPS. */
export const rule: Rule = {
  code: 'https-redirect-ignored',
  id: 'MP616',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['Gateway'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a redirect to HTTPS on a port that speaks TLS already',
  why: 'clients that come without TLS to the other port are not sent here',
  hint: 'set it on the HTTP port',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.gateways) {
      for (const [i, { port, tls }] of object.spec.servers.entries()) {
        const protocol = port.protocol.toUpperCase();
        if (tls?.httpsRedirect !== true || (protocol !== 'HTTPS' && protocol !== 'TLS')) continue;
        const message = `"httpsRedirect" has no effect on a port with protocol ${protocol}`;
        report({ object, path: ['spec', 'servers', i, 'tls', 'httpsRedirect'], part: 'key', message });
      }
    }
  },
};
