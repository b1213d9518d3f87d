import type { Rule } from '../rule.ts';

/** A server that sends clients to where it listens itself. */
export const rule: Rule = {
  code: 'https-redirect-to-itself',
  id: 'MP634',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Gateway'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a redirect to HTTPS on port 443 itself',
  why: 'what reaches port 443 as plain HTTP had its TLS ended by a load balancer: the client comes back over HTTPS, and gets the same redirect again',
  hint: 'remove "httpsRedirect" from this server, and put it on the server of port 80',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.gateways) {
      for (const [i, { port, tls }] of object.spec.servers.entries()) {
        const isPlain = ['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB'].includes(port.protocol.toUpperCase());
        if (port.number !== 443 || !isPlain || tls?.httpsRedirect !== true) continue;
        const message = `this server of port 443 with protocol ${port.protocol} redirects to https, which is port 443 again`;
        const hint = object.spec.servers.some((other) => other.port.number === 80) ? undefined : hintWithoutPort80;
        report({ object, path: ['spec', 'servers', i, 'tls', 'httpsRedirect'], message, hint });
      }
    }
  },
};

const hintWithoutPort80 = 'remove "httpsRedirect", or let this server end the TLS itself (protocol HTTPS)';
