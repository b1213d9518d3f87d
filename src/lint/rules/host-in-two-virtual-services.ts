import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { Rule } from '../rule.ts';

/** Gateways put the routes of all objects together; sidecars take those of one. */
export const rule: Rule = {
  code: 'host-in-two-virtual-services',
  id: 'MP604',
  peers: ['IST0109', 'KIA1106'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a host whose sidecar routes are in two VirtualServices, none of them limited to a port',
  why: 'sidecars use only the routes of the older object; if both have the same age, of that whose "name.namespace" sorts first',
  hint: 'put the routes into one object, or let one object delegate to the other',
  check({ snapshot, report }) {
    const { settings, policies } = snapshot;
    const isPublic = ({ spec }: VirtualService): boolean =>
      (spec.exportTo ?? settings.defaultVirtualServiceExportTo).includes('*');
    const firsts = new Map<string, VirtualService>();
    const routing = policies.virtualServices.filter(isWhollyForSidecars);
    for (const object of sortedBy(routing, ({ createdAt }) => createdAt, nameOf)) {
      for (const [i, text] of (object.spec.hosts ?? []).entries()) {
        const host = resolveShortName(text, object.namespace, settings.clusterDomain);
        const [own, everywhere] = [JSON.stringify([object.namespace, host]), JSON.stringify(['*', host])];
        const first = firsts.get(own) ?? firsts.get(everywhere);
        for (const key of isPublic(object) ? [own, everywhere] : [own]) {
          if (!firsts.has(key)) firsts.set(key, object);
        }
        if (first === undefined || first === object) continue;
        const message = `sidecars ignore these routes for "${host}": VirtualService "${first.namespace}/${first.name}" takes precedence${ageOf(object, first)}`;
        const related = [
          { object: first, path: ['spec', 'hosts'], part: 'key' as const, message: 'the one that applies' },
        ];
        report({ object, path: ['spec', 'hosts', i], message, related });
      }
    }
  },
};

/** A condition for the message: objects without a creation time may have different ages in the cluster. */
function ageOf({ createdAt }: VirtualService, first: VirtualService): string {
  return createdAt === first.createdAt ? ' if they have the same age' : '';
}

function nameOf({ namespace, name }: VirtualService): string {
  return `${name}.${namespace}`;
}

/** Routes of some ports, of some gateways or of some clients alone may share a host. */
function isWhollyForSidecars({ namespace, spec }: VirtualService): boolean {
  const matches = (spec.http ?? []).flatMap(({ match = [] }) => match);
  return (
    boundGateways(spec.gateways, namespace).includes('mesh') &&
    (spec.http ?? []).length > 0 &&
    matches.every(({ port, gateways }) => port === undefined && gateways === undefined)
  );
}
