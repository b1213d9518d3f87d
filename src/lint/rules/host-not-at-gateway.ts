import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import { OfferedHosts } from '../routing/server-hosts.ts';
import type { Rule } from '../rule.ts';

/** A gateway serves what its servers and the routes bound to it have in common. */
export const rule: Rule = {
  code: 'host-not-at-gateway',
  id: 'MP602',
  peers: ['IST0132'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a VirtualService host that no server of its gateways accepts',
  why: 'no request for the host reaches the routes: the gateway answers 404, or closes the connection',
  hint: 'add the host to a server of the Gateway, or correct the host here',
  check({ snapshot, report, skip }) {
    const { policies, settings } = snapshot;
    const gateways = new Map(policies.gateways.map((gateway) => [`${gateway.namespace}/${gateway.name}`, gateway]));
    const offered = new Map([...gateways].map(([name, gateway]) => [name, new OfferedHosts(gateway)]));
    const redirected = new Map(
      [...gateways].map(([name, gateway]) => [name, new OfferedHosts(gateway, 'redirecting')]),
    );
    for (const object of policies.virtualServices) {
      const { namespace, spec } = object;
      const names = boundGateways(spec.gateways, namespace);
      if (names.includes('mesh')) continue;
      const bound = names.flatMap((name) => offered.get(name) ?? []);
      // The hosts of a Gateway that is kept elsewhere are not known.
      if (bound.length < names.length) {
        skip(object);
        continue;
      }
      for (const [i, text] of (spec.hosts ?? []).entries()) {
        const host = resolveShortName(text, namespace, settings.clusterDomain);
        if (bound.some((it) => it.hasPartOf(host, namespace))) continue;
        const related = names.flatMap((name) => {
          const gateway = gateways.get(name);
          return gateway
            ? [{ object: gateway, path: ['spec', 'servers'], part: 'key' as const, message: 'the servers' }]
            : [];
        });
        const isRedirected = names.some((name) => redirected.get(name)?.hasPartOf(host, namespace));
        const but = isRedirected ? ', but for one that only redirects to HTTPS' : '';
        const message = `no server of ${names.map((name) => `"${name}"`).join(', ')} takes routes of namespace "${namespace}" for "${host}"${but}`;
        const isOfMesh = !isRedirected && host.endsWith(`.svc.${settings.clusterDomain}`);
        const isOfOthers = !isRedirected && bound.some((it) => it.hasPartForAny(host));
        const hint = isOfOthers
          ? `the server takes it from other namespaces: correct the namespace in "hosts" of the Gateway, "${namespace}/${host}", or move the VirtualService`
          : isOfMesh
            ? hintOfMesh
            : undefined;
        report({ object, path: ['spec', 'hosts', i], message, related, hint });
      }
    }
  },
};

/** Clients of the mesh ask for the name of a service; clients of a gateway do not. */
const hintOfMesh =
  'for clients in the mesh, whose sidecars get no routes without it, add "mesh" to "spec.gateways"; else remove the host';
