import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { Gateway } from '../../policy/gateway.ts';
import { serverHosts } from '../routing/server-hosts.ts';
import type { Rule } from '../rule.ts';

/** Without "gateways" routes are for sidecars; that a Gateway serves the same host tells what was meant. */
export const rule: Rule = {
  code: 'gateway-host-in-mesh-alone',
  id: 'MP623',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'routes without "gateways" for a host that a Gateway serves',
  why: 'the routes are for sidecars alone, so the gateway has none for the host and answers 404',
  hint: 'name the Gateway in "gateways"',
  check({ snapshot, report }) {
    const { policies, topology, settings } = snapshot;
    const services = new Set(topology.services.map(({ host }) => host));
    const served = servedHosts(policies.gateways);
    const routed = new Set(
      policies.virtualServices
        .filter(({ spec, namespace }) => boundGateways(spec.gateways, namespace).some((name) => name !== 'mesh'))
        .flatMap(({ spec, namespace }) =>
          (spec.hosts ?? []).map((host) => resolveShortName(host, namespace, settings.clusterDomain)),
        ),
    );
    const isRouted = (host: string): boolean => routed.has(host) || [...parents(host)].some((name) => routed.has(name));
    for (const object of policies.virtualServices) {
      const { gateways = [], hosts = [], http = [] } = object.spec;
      if (gateways.length > 0 || http.length === 0) continue;
      for (const [i, text] of hosts.entries()) {
        const host = resolveShortName(text, object.namespace, settings.clusterDomain);
        const gateway = served.get(host);
        if (gateway === undefined || services.has(host) || isRouted(host)) continue;
        const name = `${gateway.namespace}/${gateway.name}`;
        report({
          ...{ object, path: ['spec', 'hosts', i] },
          message: `"${host}" is a host of Gateway "${name}", and these routes are bound to no Gateway`,
          hint: `add "gateways: [${gateway.namespace === object.namespace ? gateway.name : name}]"`,
          related: [{ object: gateway, path: ['spec', 'servers'], part: 'key', message: 'the servers of the Gateway' }],
        });
      }
    }
  },
};

/** By host, the Gateway that names it; patterns are left out, under which there are many hosts. */
function servedHosts(gateways: readonly Gateway[]): ReadonlyMap<string, Gateway> {
  const found = new Map<string, Gateway>();
  for (const gateway of gateways) {
    for (const { host } of gateway.spec.servers.flatMap((server) => serverHosts(gateway, server))) {
      if (!host.startsWith('*') && !found.has(host)) found.set(host, gateway);
    }
  }
  return found;
}

/** The patterns that a host is under: `*.b.c` and `*.c` of `a.b.c`, and `*`. */
function* parents(host: string): Iterable<string> {
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) yield `*${host.slice(dot)}`;
  yield '*';
}
