import { boundServers, gatewaysByName, hasTlsMode } from '../routing/bound-servers.ts';
import type { Rule } from '../rule.ts';

/** A server that decrypts reads requests, or leads on what it decrypted; routes by server name are for what stays encrypted. */
export const rule: Rule = {
  code: 'tls-routes-at-termination',
  id: 'MP645',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'routes by server name for servers that decrypt TLS',
  why: 'the gateway decrypts these connections itself and does not use "tls" routes, so the connections lead nowhere',
  hint: 'write "http" routes (at a server of protocol TLS "tcp" routes), or let the server pass TLS through (mode PASSTHROUGH)',
  check({ snapshot, report, skip }) {
    const gateways = gatewaysByName(snapshot.policies.gateways);
    for (const object of snapshot.policies.virtualServices) {
      const { http = [], tls = [], tcp = [] } = object.spec;
      if (tls.length === 0 || http.length + tcp.length > 0) continue;
      const bound = boundServers(object, gateways, snapshot.settings.clusterDomain);
      if (bound === 'unknown') skip(object);
      if (bound === 'unknown' || bound === undefined || bound.servers.length === 0) continue;
      if (!bound.servers.every(({ server }) => hasTlsMode(server, decrypting))) continue;
      report({
        ...{ object, path: ['spec', 'tls'], part: 'key' },
        message: `every server for ${bound.hosts.map((host) => `"${host}"`).join(', ')} decrypts TLS, and these routes are for connections that stay encrypted`,
        related: bound.servers.slice(0, 1).map(({ gateway, index }) => ({
          ...{ object: gateway, path: ['spec', 'servers', index, 'tls', 'mode'], message: 'a server of these hosts' },
        })),
      });
    }
  },
};

const decrypting = ['SIMPLE', 'MUTUAL', 'OPTIONAL_MUTUAL', 'MESH_MUTUAL'];
