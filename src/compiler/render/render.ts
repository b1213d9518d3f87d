import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { compareStrings, sortedBy } from '../../lib/sort.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { BootstrapIR, InboundIR, OutboundIR, ProxyIR } from '../ir/proxy.ts';
import type { RouteConfigurationIR } from '../ir/route.ts';
import { bootstrapView } from './bootstrap-view.ts';
import { clusterView } from './cluster-view.ts';
import type { MainTemplate } from './engine.ts';
import type { Placement } from './file-source.ts';
import { listenerView } from './listener-view.ts';
import { renderResource } from './render-resource.ts';
import type { EnvoyConfig, Resource, ResourceType } from './resource.ts';
import { routeConfigurationView } from './route-view.ts';
import { builtInTemplates, type Templates } from './templates.ts';
import { type UserBootstrap, withUserBootstrap } from './user-bootstrap.ts';

/** Makes Envoy's form of proxies; the same IR object always gives the same Resource object. */
export interface Renderer {
  /** Undefined when a user's template failed, which the bag then tells. */
  render(proxy: ProxyIR, bag: DiagnosticBag): EnvoyConfig | undefined;
}

/** Resources of one half (inbound or outbound) of a proxy, each list sorted by name. */
interface Half {
  readonly listeners: readonly Listed[];
  readonly clusters: readonly Resource[];
  readonly routes: readonly Resource[];
}

/** A listener, and the proxies that leave it out. */
interface Listed {
  readonly resource: Resource;
  readonly notForAddresses: readonly string[];
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
        const listed = made.listeners.map((resource, i) => ({
          resource,
          notForAddresses: half.listeners[i]?.notForAddresses ?? [],
        }));
        return {
          listeners: sortedBy(listed, ({ resource }) => resource.name),
          clusters: sortedBy(made.clusters, byName),
          routes: sortedBy(made.routes, byName),
        };
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
      return {
        namespace: proxy.namespace,
        workload: proxy.workload,
        bootstrap,
        listeners: merged(ownListeners(inbound, proxy), ownListeners(outbound, proxy)),
        clusters: merged(inbound.clusters, outbound.clusters),
        routes: merged(inbound.routes, outbound.routes),
      };
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

function ownListeners({ listeners }: Half, { addresses }: ProxyIR): Resource[] {
  return listeners
    .filter(({ notForAddresses }) => !notForAddresses.some((address) => addresses.includes(address)))
    .map(({ resource }) => resource);
}

/** Two sorted lists as one; a resource that both have is there once. */
function merged(a: readonly Resource[], b: readonly Resource[]): readonly Resource[] {
  if (a.length === 0) return b;
  const out: Resource[] = [];
  let j = 0;
  for (const resource of a) {
    for (let next = b[j]; next !== undefined && compareStrings(next.name, resource.name) < 0; next = b[++j])
      out.push(next);
    if (b[j] === resource) j++;
    out.push(resource);
  }
  for (; j < b.length; j++) out.push(b[j] as Resource);
  return out;
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
