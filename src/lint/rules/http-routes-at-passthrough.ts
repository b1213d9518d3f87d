import { boundServers, gatewaysByName, hasTlsMode } from '../routing/bound-servers.ts';
import type { Rule } from '../rule.ts';

/** A server that does not decrypt sees the name of the server in TLS, and no request. */
export const rule: Rule = {
  code: 'http-routes-at-passthrough',
  id: 'MP624',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'HTTP routes for servers that pass TLS through',
  why: 'the gateway does not decrypt these connections, so it sees no request and does not use the routes: it closes the connections',
  hint: 'write "tls" routes with "sniHosts", or let the server decrypt (mode SIMPLE or MUTUAL)',
  check({ snapshot, report, skip }) {
    const gateways = gatewaysByName(snapshot.policies.gateways);
    for (const object of snapshot.policies.virtualServices) {
      const { http = [], tls = [], tcp = [] } = object.spec;
      if (http.length === 0 || tls.length + tcp.length > 0) continue;
      const bound = boundServers(object, gateways, snapshot.settings.clusterDomain);
      if (bound === 'unknown') skip(object);
      if (bound === 'unknown' || bound === undefined || bound.servers.length === 0) continue;
      if (!bound.servers.every(({ server }) => hasTlsMode(server, ['PASSTHROUGH']))) continue;
      report({
        ...{ object, path: ['spec', 'http'], part: 'key' },
        message: `every server for ${bound.hosts.map((host) => `"${host}"`).join(', ')} passes TLS through, and these routes are for HTTP`,
        related: bound.servers.slice(0, 1).map(({ gateway, index }) => ({
          ...{ object: gateway, path: ['spec', 'servers', index], message: 'a server of these hosts' },
        })),
      });
    }
  },
};
