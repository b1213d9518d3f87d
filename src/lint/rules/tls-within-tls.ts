import type { Snapshot } from '../../compiler/snapshot.ts';
import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { hostOf, rulesAlone } from '../tls/served-ports.ts';

/** Of a port of protocol HTTPS or TLS the proxy passes on what the application encrypts itself. */
export const rule: Rule = {
  code: 'tls-within-tls',
  id: 'MP213',
  severity: 'warning',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title: 'TLS of the proxy around TLS of the application',
  why: 'the server decrypts once and finds TLS where it expects a request, so it closes the connection',
  hint: 'remove "tls"; or let the applications send plain HTTP, and declare the port with protocol HTTP',
  check({ snapshot, report }) {
    const outside = new Map(
      snapshot.topology.services.filter(({ isExternal }) => isExternal).map((service) => [service.host, service]),
    );
    if (outside.size === 0) return;
    const routed = routedHosts(snapshot);
    for (const { rule, tls, path, isForPort } of clientTlsOf(rulesAlone(snapshot))) {
      const service = outside.get(hostOf(rule, snapshot));
      if (service === undefined || (tls.mode !== 'SIMPLE' && tls.mode !== 'MUTUAL')) continue;
      const ports = service.ports.filter(({ number }) => isForPort(number));
      // A route may bring plain HTTP of another port here.
      if (ports.length === 0 || routed.has(service.host) || !ports.every((port) => isEncrypted(port.protocol)))
        continue;
      const [first] = ports;
      report({
        ...{ object: rule, path: [...path, 'mode'] },
        message: `mode ${tls.mode} adds TLS on port ${first?.number} of "${service.host}", whose protocol says that the application sends TLS itself`,
        related: [{ object: service.object, path: ['spec', 'ports'], part: 'key', message: 'the ports of the host' }],
      });
    }
  },
};

function isEncrypted(protocol: string): boolean {
  return protocol === 'tls' || protocol === 'https';
}

/** Hosts that routes of the input lead to. */
function routedHosts({ policies, settings }: Snapshot): ReadonlySet<string> {
  return new Set(
    policies.virtualServices.flatMap((object) =>
      destinationsOf(object).map(({ destination }) =>
        resolveShortName(destination.host, object.namespace, settings.clusterDomain),
      ),
    ),
  );
}
