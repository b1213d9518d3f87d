import type { Gateway } from '../../policy/gateway.ts';
import { serverHosts } from '../routing/server-hosts.ts';
import type { Rule } from '../rule.ts';

interface Claim {
  readonly gateway: Gateway;
  readonly server: number;
  readonly host: number;
}

/** TLS servers of one port are told apart by the server name alone: the certificate of only one can be shown. */
export const rule: Rule = {
  code: 'gateways-of-one-server-name',
  id: 'MP605',
  peers: ['IST0145', 'KIA0301'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['Gateway'],
  needs: 'policies',
  since: '0.1.0',
  title: 'two TLS servers for the same host and port on the same gateway workloads',
  why: 'one of the two servers is left out as a whole, with its certificate, its client certificate check and its other hosts',
  hint: 'keep the host in one of the servers, or give one of them another port',
  check({ snapshot, report }) {
    const claims = new Map<string, Claim>();
    for (const gateway of snapshot.policies.gateways) {
      const where = workloadsOf(gateway, snapshot.settings.scopeGatewayToNamespace);
      for (const [server, { port, bind = '', ...rest }] of gateway.spec.servers.entries()) {
        if (!['HTTPS', 'TLS'].includes(port.protocol.toUpperCase())) continue;
        for (const [host, name] of serverHosts(gateway, { port, ...rest }).entries()) {
          const key = JSON.stringify([where, port.number, bind, name.host]);
          const first = claims.get(key);
          if (first === undefined) claims.set(key, { gateway, server, host });
          // The same server twice among its own hosts is no conflict.
          if (first === undefined || (first.gateway === gateway && first.server === server)) continue;
          report({
            ...{ object: gateway, path: pathOf({ gateway, server, host }) },
            message: `host "${name.host}" has another TLS server on port ${port.number} of the same workloads`,
            related: [{ object: first.gateway, path: pathOf(first), message: 'the other server' }],
          });
        }
      }
    }
  },
};

function workloadsOf({ namespace, spec }: Gateway, isScoped: boolean): string {
  const labels = Object.entries(spec.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([isScoped ? namespace : '', labels]);
}

function pathOf({ server, host }: Claim) {
  return ['spec', 'servers', server, 'hosts', host];
}
