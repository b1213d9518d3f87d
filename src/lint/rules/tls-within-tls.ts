import type { Snapshot } from '../../compiler/snapshot.ts';
import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
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

/** Hosts to which routes of the input may bring plain text. */
function routedHosts(snapshot: Snapshot): ReadonlySet<string> {
  const { policies, settings } = snapshot;
  const portsOf = new Map(snapshot.topology.services.map(({ host, ports }) => [host, ports]));
  const isIdle = (object: VirtualService): boolean =>
    boundGateways(object.spec.gateways, object.namespace).every((name) => name === 'mesh') &&
    (object.spec.hosts ?? []).every((text) => {
      const ports = portsOf.get(resolveShortName(text, object.namespace, settings.clusterDomain));
      return ports?.every(({ protocol }) => isEncrypted(protocol)) === true;
    });
  return new Set(
    policies.virtualServices.flatMap((object) =>
      // Routes of sidecars are for the ports of their hosts: where all of these are encrypted, no plain text comes in.
      isIdle(object)
        ? []
        : destinationsOf(object).flatMap(({ destination, path }) =>
            path[1] === 'tls' ? [] : [resolveShortName(destination.host, object.namespace, settings.clusterDomain)],
          ),
    ),
  );
}
