import type { HostFacts } from '../config/host-facts.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lowerBootstrap } from './lower/bootstrap.ts';
import { bootstrapView } from './render/bootstrap-view.ts';
import { renderResource } from './render/render-resource.ts';
import type { Resource } from './render/resource.ts';
import { builtInTemplates } from './render/templates.ts';
import { familiesOf } from './topology/address.ts';

/** The proxy as its own machine knows it; whatever else it is, the control plane knows. */
export interface LoneProxy {
  readonly namespace: string;
  readonly name: string;
  /** Empty where nobody says it here. */
  readonly serviceAccount: string;
  readonly role: 'sidecar' | 'router';
  /** The first one is that of the node id. */
  readonly addresses: readonly string[];
}

/** The bootstrap of a proxy whose resources come from a control plane, made without the objects of the mesh. */
export function bootstrapAlone(proxy: LoneProxy, settings: Settings, host: HostFacts): Resource['json'] {
  const bag = new DiagnosticBag();
  const families = familiesOf(proxy.addresses);
  const workload = {
    ...proxy,
    families: families.length === 0 ? (['ipv4'] as const) : families,
    labels: host.labels,
    // Settings have read them already.
    annotations: {},
    interceptionMode: undefined,
    locality: undefined,
  };
  const view = bootstrapView(lowerBootstrap(workload, settings, host, undefined, bag), 'ads');
  const templates = builtInTemplates();
  const made = renderResource({ type: 'bootstrap', name: 'bootstrap', template: 'bootstrap', view, templates }, bag);
  if (made === undefined || bag.hasErrors) throw new Error('the built-in bootstrap cannot be rendered');
  return made.json;
}
