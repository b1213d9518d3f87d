import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { ClusterIR, EndpointsIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { AssignmentsIR, BootstrapIR, InboundIR, OutboundIR, ProxyIR } from '../ir/proxy.ts';
import type { RouteConfigurationIR } from '../ir/route.ts';
import { bootstrapView } from './bootstrap-view.ts';
import { clusterView } from './cluster-view.ts';
import type { MainTemplate } from './engine.ts';
import { listenerView } from './listener-view.ts';
import { loadAssignmentView } from './load-assignment-view.ts';
import { ProxyConfig } from './proxy-config.ts';
import { cached, cachedBoth, type LastMade, lastOf, ofFirst, remade } from './remembered.ts';
import { renderResource } from './render-resource.ts';
import type { Delivery, EnvoyConfig, Resource, ResourceSet, ResourceType } from './resource.ts';
import { routeConfigurationView } from './route-view.ts';
import { servedCluster } from './served-cluster.ts';
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

type HalfIR = InboundIR | OutboundIR;

export interface RendererOptions {
  /** A user's templates; the built-in ones when absent. */
  readonly templates?: Templates | undefined;
  readonly bootstrap?: UserBootstrap | undefined;
  /** Absent: files. */
  readonly delivery?: Delivery | undefined;
  /** Absent: they are remembered, as all else is. */
  readonly forgetsBootstraps?: boolean | undefined;
}

/** A renderer that remembers what it rendered, as long as the IR objects live. */
export function createRenderer({
  templates = builtInTemplates(),
  bootstrap = {},
  delivery = 'files',
  forgetsBootstraps = false,
}: RendererOptions = {}): Renderer {
  const bootstraps = (forgetsBootstraps ? remade : cached)((ir: BootstrapIR, bag) => {
    const made = one('bootstrap', 'bootstrap', 'bootstrap', bootstrapView(ir, delivery), bag);
    return made && withUserBootstrap(made, bootstrap);
  });
  const soundBootstraps = new WeakSet<BootstrapIR>();
  const routes = cached((ir: RouteConfigurationIR, bag) =>
    one('route', ir.name, 'routes', routeConfigurationView(ir), bag),
  );
  const endpoint = cached((ir: EndpointsIR, bag) =>
    one('endpoints', ir.clusterName, 'endpoints', loadAssignmentView(ir), bag),
  );
  /** Resources of their own; in the form of files the clusters hold them. */
  const endpoints = lastOf(
    ({ places }: AssignmentsIR) => places,
    (ir, bag, last: LastMade<AssignmentsIR, readonly Resource[]> | undefined) => {
      if (delivery !== 'ads') return nothingApart;
      // Of thousands a change leaves all but a few as they were.
      const renderAt = (one: EndpointsIR, own: DiagnosticBag, i: number): Resource | undefined =>
        last?.ir.endpoints[i] === one ? last.value[i] : endpoint(one, own);
      return all(ir.endpoints, renderAt, bag);
    },
  );
  const placed = new Map<string, HalfRenderer>();
  const halvesOf = new WeakMap<BootstrapIR, HalfRenderer>();

  function one(type: ResourceType, name: string, template: MainTemplate, view: object, bag: DiagnosticBag) {
    return renderResource({ type, name, template, view, templates }, bag);
  }

  /** What names where it comes from is alike only among proxies with the same folder. */
  function halvesAt(ir: BootstrapIR): HalfRenderer {
    const { configPath, initialFetchTimeoutMs } = ir;
    const key = JSON.stringify([configPath, initialFetchTimeoutMs]);
    const halves = placed.get(key) ?? halfRenderer(one, list(routes), { configPath, initialFetchTimeoutMs, delivery });
    placed.set(key, halves);
    halvesOf.set(ir, halves);
    return halves;
  }

  function canStart(ir: BootstrapIR, bag: DiagnosticBag): boolean {
    if (!soundBootstraps.has(ir) && bootstraps(ir, bag) !== undefined) soundBootstraps.add(ir);
    return soundBootstraps.has(ir);
  }

  function bootstrapOf(ir: BootstrapIR): Resource {
    const made = bootstraps(ir, new DiagnosticBag());
    if (made === undefined) throw new Error('a bootstrap that was rendered before cannot be rendered again');
    return made;
  }

  return {
    render: lastOf(
      ({ bootstrap }: ProxyIR) => bootstrap,
      (proxy, bag, last: LastMade<ProxyIR, ProxyConfig> | undefined) => {
        const { namespace, workload, assignments } = proxy;
        const ownEndpoints = endpoints(assignments.inbound, bag);
        const sharedEndpoints = endpoints(assignments.outbound, bag);
        if (delivery === 'ads' && last !== undefined && differInEndpointsAlone(last.ir, proxy))
          return ownEndpoints && sharedEndpoints && last.value.withEndpoints(ownEndpoints, sharedEndpoints);
        const hasStart = canStart(proxy.bootstrap, bag);
        const halves = halvesOf.get(proxy.bootstrap) ?? halvesAt(proxy.bootstrap);
        const inbound = halves(proxy.inbound, assignments.inbound, bag);
        const outbound = halves(proxy.outbound, assignments.outbound, bag);
        if (!hasStart || !inbound || !outbound || !ownEndpoints || !sharedEndpoints) return undefined;
        const parts = {
          ...{ namespace, workload, own: inbound.set, shared: outbound.set, delivery },
          bootstrap: () => bootstrapOf(proxy.bootstrap),
          concurrency: proxy.bootstrap.concurrency,
          leftOut: leftOutOf([inbound, outbound], proxy),
        };
        return new ProxyConfig(parts, ownEndpoints, sharedEndpoints);
      },
    ),
  };
}

const nothingApart: readonly Resource[] = [];

/** Of two proxies with one bootstrap. */
function differInEndpointsAlone(a: ProxyIR, b: ProxyIR): boolean {
  return a.inbound === b.inbound && a.outbound === b.outbound && a.addresses === b.addresses;
}

type HalfRenderer = (half: HalfIR, assigned: AssignmentsIR, bag: DiagnosticBag) => Half | undefined;

type RenderOne = (
  type: ResourceType,
  name: string,
  template: MainTemplate,
  view: object,
  bag: DiagnosticBag,
) => Resource | undefined;

/** Makes halves whose resources come from one place. */
function halfRenderer(
  one: RenderOne,
  routes: ReturnType<typeof list<RouteConfigurationIR>>,
  placement: Parameters<typeof clusterView>[1],
): HalfRenderer {
  const listeners = list(
    cached((ir: ListenerIR, bag) => one('listener', ir.name, 'listeners', listenerView(ir, placement), bag)),
  );
  const apart = cached((ir: ClusterIR, bag) =>
    one('cluster', ir.name, 'clusters', clusterView(servedCluster(ir), placement, ir.endpoints), bag),
  );
  const holding = cachedBoth((ir: ClusterIR, held: EndpointsIR, bag) =>
    one('cluster', ir.name, 'clusters', clusterView(ir, placement, held), bag),
  );
  const clusters = cachedBoth((irs: readonly ClusterIR[], { endpoints, places }: AssignmentsIR, bag) => {
    const clusterOf = (cluster: ClusterIR, own: DiagnosticBag) => {
      const held = endpoints[places.get(cluster.name) ?? -1];
      return held === undefined ? apart(cluster, own) : holding(cluster, held, own);
    };
    return inOrder(all(irs, clusterOf, bag));
  });
  const half = (ir: HalfIR, held: AssignmentsIR, bag: DiagnosticBag): Half | undefined =>
    halfOf(ir, {
      listeners: listeners(ir.listeners, bag),
      clusters: clusters(ir.clusters, held, bag),
      routes: routes(ir.routes, bag),
    });
  // A set of the other form does not depend on what is assigned.
  return placement.delivery === 'files'
    ? cachedBoth(half)
    : ofFirst(cached((ir: HalfIR, bag) => half(ir, nothingHeld, bag)));
}

const nothingHeld: AssignmentsIR = { endpoints: [], places: new Map(), conflicts: [] };

/** Undefined where a resource failed. */
function halfOf(
  half: HalfIR,
  { listeners, clusters, routes }: Readonly<Record<keyof ResourceSet, readonly Resource[] | undefined>>,
): Half | undefined {
  if (listeners === undefined || clusters === undefined || routes === undefined) return undefined;
  const notFor = new Map<string, Resource[]>();
  if (half.listeners.some(({ notForAddresses }) => notForAddresses.length > 0)) {
    const made = new Map(listeners.map((resource) => [resource.name, resource]));
    for (const { name, notForAddresses } of half.listeners) {
      for (const address of notForAddresses) append(notFor, address, made.get(name) as Resource);
    }
  }
  return { set: { listeners, clusters, routes }, notFor };
}

/** The resources of a list, which many halves share, by name. */
function list<IR extends object>(
  render: (ir: IR, bag: DiagnosticBag) => Resource | undefined,
): (irs: readonly IR[], bag: DiagnosticBag) => readonly Resource[] | undefined {
  return cached((irs: readonly IR[], bag) => inOrder(all(irs, render, bag)));
}

function inOrder(resources: readonly Resource[] | undefined): readonly Resource[] | undefined {
  return resources && sortedBy(resources, byName);
}

const byName = (resource: Resource): string => resource.name;

/** Renders all, so that every failing template is reported at once. */
function all<IR>(
  irs: readonly IR[],
  render: (ir: IR, bag: DiagnosticBag, place: number) => Resource | undefined,
  bag: DiagnosticBag,
): Resource[] | undefined {
  const resources = irs.map((ir, i) => render(ir, bag, i));
  const made = resources.filter((resource) => resource !== undefined);
  return made.length === resources.length ? made : undefined;
}

/** Listeners of the halves that would stand at an address of the proxy itself. */
function leftOutOf(halves: readonly Half[], { addresses }: ProxyIR): ReadonlySet<Resource> {
  if (halves.every(({ notFor }) => notFor.size === 0)) return nothingLeftOut;
  return new Set(halves.flatMap(({ notFor }) => addresses.flatMap((address) => notFor.get(address) ?? [])));
}

const nothingLeftOut: ReadonlySet<Resource> = new Set();
