import { subsetOf } from '../../compiler/topology/host.ts';
import type { Rule } from '../rule.ts';
import { hostOf } from '../tls/served-ports.ts';

/** Port 443 of a host outside speaks TLS; as HTTP, the proxy reads the TLS of the application as a request. */
export const rule: Rule = {
  code: 'plain-http-on-tls-port',
  id: 'MP628',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['ServiceEntry'],
  needs: 'policies',
  since: '0.1.0',
  title: 'port 443 of a host outside of the mesh, declared as HTTP',
  why: 'applications send TLS to port 443, which the proxy cannot read as HTTP, so it closes their connections',
  hint: 'write protocol TLS; or, if the proxy is to add TLS to plain HTTP, set "tls" in a DestinationRule for the host',
  check({ snapshot, report }) {
    const { policies, topology } = snapshot;
    const adding = policies.destinationRules
      .filter(({ spec: { trafficPolicy: own } }) => own?.tls ?? own?.portLevelSettings?.some(({ tls }) => tls))
      .map((rule) => hostOf(rule, snapshot));
    const exact = new Set(adding);
    const told = new Set<object>();
    const patterns = adding.filter((host) => host.startsWith('*'));
    for (const { host, isExternal, object, ports } of topology.services) {
      if (!isExternal || exact.has(host) || patterns.some((pattern) => subsetOf(host, pattern))) continue;
      for (const [i, { number, protocol, declaredBy }] of ports.entries()) {
        // Ports in an order of their own are those of several entries; their places are not looked for.
        if (number !== 443 || declaredBy !== undefined || !['http', 'http2'].includes(protocol)) continue;
        // An entry of several hosts is one mistake.
        if (told.has(object)) continue;
        told.add(object);
        report({
          ...{ object, path: ['spec', 'ports', i, 'protocol'] },
          message: `port 443 of "${host}" is declared as HTTP, and no DestinationRule adds TLS to its requests`,
        });
      }
    }
  },
};
