import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { BootstrapIR, InboundIR, OutboundIR, ProxyIR } from '../ir/proxy.ts';
import type { RouteConfigurationIR } from '../ir/route.ts';
import { bootstrapView } from './bootstrap-view.ts';
import { clusterView } from './cluster-view.ts';
import type { MainTemplate } from './engine.ts';
import type { Placement } from './file-source.ts';
import { listenerView } from './listener-view.ts';
import { configOf } from './proxy-config.ts';
import { renderResource } from './render-resource.ts';
import type { EnvoyConfig, Resource, ResourceSet, ResourceType } from './resource.ts';
import { routeConfigurationView } from './route-view.ts';
import { builtInTemplates, type Templates } from './templates.ts';
import { type UserBootstrap, withUserBootstrap } from './user-bootstrap.ts';

/** Makes Envoy's form of proxies; the same IR object always gives the same Resource object. */
export interface Renderer {
  /** Undefined when a user's template failed, which the bag then tells. */
  render(proxy: ProxyIR, bag: DiagnosticBag): EnvoyConfig | undefined;
}

/** Resources of one half (inbound or outbound) of a proxy. */
interface Half {
  readonly set: ResourceSet;
  /** Listeners that the proxy of an address leaves out, by address. */
  readonly notFor: ReadonlyMap<string, readonly Resource[]>;
}

/** A renderer that remembers what it rendered, as long as the IR objects live. */
export function createRenderer(templates: Templates = builtInTemplates(), bootstrap: UserBootstrap = {}): Renderer {
  const bootstraps = cached((ir: BootstrapIR, bag) => {
    const made = one('bootstrap', 'bootstrap', 'bootstrap', bootstrapView(ir), bag);
    return made && withUserBootstrap(made, bootstrap);
  });
  const clusters = cached((ir: ClusterIR, bag) => one('cluster', ir.name, 'clusters', clusterView(ir), bag));
  const routes = cached((ir: RouteConfigurationIR, bag) =>
    one('route', ir.name, 'routes', routeConfigurationView(ir), bag),
  );
  const placed = new Map<string, (half: InboundIR | OutboundIR, bag: DiagnosticBag) => Half | undefined>();

  function one(type: ResourceType, name: string, template: MainTemplate, view: object, bag: DiagnosticBag) {
    return renderResource({ type, name, template, view, templates }, bag);
  }

  /** Listeners name files, so that halves are alike only among proxies with the same folder. */
  function halvesAt(placement: Placement): (half: InboundIR | OutboundIR, bag: DiagnosticBag) => Half | undefined {
    const key = JSON.stringify([placement.configPath, placement.initialFetchTimeoutMs]);
    let halves = placed.get(key);
    if (halves === undefined) {
      const listeners = cached((ir: ListenerIR, bag) =>
        one('listener', ir.name, 'listeners', listenerView(ir, placement), bag),
      );
      halves = cached((half: InboundIR | OutboundIR, bag) => {
        const made = {
          listeners: all(half.listeners, listeners, bag),
          clusters: all(half.clusters, clusters, bag),
          routes: all(half.routes, routes, bag),
        };
        if (made.listeners === undefined || made.clusters === undefined || made.routes === undefined) return undefined;
        const notFor = new Map<string, Resource[]>();
        for (const [i, resource] of made.listeners.entries()) {
          for (const address of half.listeners[i]?.notForAddresses ?? []) append(notFor, address, resource);
        }
        const set = {
          listeners: sortedBy(made.listeners, byName),
          clusters: sortedBy(made.clusters, byName),
          routes: sortedBy(made.routes, byName),
        };
        return { set, notFor };
      });
      placed.set(key, halves);
    }
    return halves;
  }

  return {
    render: cached((proxy: ProxyIR, bag) => {
      const bootstrap = bootstraps(proxy.bootstrap, bag);
      const inbound = halvesAt(proxy.bootstrap)(proxy.inbound, bag);
      const outbound = halvesAt(proxy.bootstrap)(proxy.outbound, bag);
      if (bootstrap === undefined || inbound === undefined || outbound === undefined) return undefined;
      const { namespace, workload } = proxy;
      const leftOut = new Set([inbound, outbound].flatMap((half) => leftOutOf(half, proxy)));
      return configOf({ namespace, workload, bootstrap, own: inbound.set, shared: outbound.set, leftOut });
    }),
  };
}

const byName = (resource: Resource): string => resource.name;

/** Renders all, so that every failing template is reported at once. */
function all<IR>(
  irs: readonly IR[],
  render: (ir: IR, bag: DiagnosticBag) => Resource | undefined,
  bag: DiagnosticBag,
): Resource[] | undefined {
  const resources = irs.map((ir) => render(ir, bag));
  const made = resources.filter((resource) => resource !== undefined);
  return made.length === resources.length ? made : undefined;
}

/** Listeners of a set that would stand at an address of the proxy itself. */
function leftOutOf({ notFor }: Half, { addresses }: ProxyIR): readonly Resource[] {
  if (notFor.size === 0) return [];
  return addresses.flatMap((address) => notFor.get(address) ?? []);
}

/** Failures are not remembered: each run tells them again. */
function cached<IR extends object, T>(
  make: (ir: IR, bag: DiagnosticBag) => T | undefined,
): (ir: IR, bag: DiagnosticBag) => T | undefined {
  const known = new WeakMap<IR, T>();
  return (ir, bag) => {
    let value = known.get(ir);
    if (value === undefined) {
      value = make(ir, bag);
      if (value !== undefined) known.set(ir, value);
    }
    return value;
  };
}
