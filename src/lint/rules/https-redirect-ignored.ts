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
  title: '"httpsRedirect" on a port that already uses TLS',
  why: 'the setting has no effect here, and clients that call the HTTP port are not redirected',
  hint: 'set "httpsRedirect" on the server of the HTTP port',
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
