import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName, subsetOf } from '../../compiler/topology/host.ts';
import type { Gateway, Server } from '../../policy/gateway.ts';
import { serverHosts } from '../routing/server-hosts.ts';
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
    const { policies, settings } = snapshot;
    const gateways = new Map(policies.gateways.map((gateway) => [`${gateway.namespace}/${gateway.name}`, gateway]));
    for (const object of policies.virtualServices) {
      const { http = [], tls = [], tcp = [], hosts = [] } = object.spec;
      const names = boundGateways(object.spec.gateways, object.namespace);
      if (http.length === 0 || tls.length + tcp.length > 0 || names.includes('mesh')) continue;
      const bound = names.flatMap((name) => gateways.get(name) ?? []);
      if (bound.length < names.length) {
        skip(object);
        continue;
      }
      const asked = hosts.map((host) => resolveShortName(host, object.namespace, settings.clusterDomain));
      const serving = bound.flatMap((gateway) => serversFor(gateway, asked));
      if (serving.length === 0 || !serving.every(({ server }) => passesThrough(server))) continue;
      report({
        ...{ object, path: ['spec', 'http'], part: 'key' },
        message: `every server for ${asked.map((host) => `"${host}"`).join(', ')} passes TLS through, and these routes are for HTTP`,
        related: serving.slice(0, 1).map(({ gateway, index }) => ({
          ...{ object: gateway, path: ['spec', 'servers', index], message: 'a server of these hosts' },
        })),
      });
    }
  },
};

interface ServerAt {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly index: number;
}

function serversFor(gateway: Gateway, hosts: readonly string[]): readonly ServerAt[] {
  return gateway.spec.servers.flatMap((server, index) => {
    const offered = serverHosts(gateway, server);
    const isFor = offered.some(({ host }) => hosts.some((other) => subsetOf(other, host) || subsetOf(host, other)));
    return isFor ? [{ gateway, server, index }] : [];
  });
}

/** Written out: without a mode another check speaks. */
function passesThrough({ port, tls }: Server): boolean {
  return ['HTTPS', 'TLS'].includes(port.protocol.toUpperCase()) && tls?.mode === 'PASSTHROUGH';
}
