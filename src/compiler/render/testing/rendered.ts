import { expect } from 'vitest';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { proxyIR } from '../../../testing/ir.ts';
import { clusterIR, endpointIR } from '../../../testing/ir-clusters.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ProxyIR } from '../../ir/proxy.ts';
import { createRenderer } from '../render.ts';
import type { EnvoyConfig, Resource } from '../resource.ts';

/** Renders a proxy with the built-in templates; there is nothing to report. */
export function rendered(proxy: ProxyIR, renderer = createRenderer()): EnvoyConfig {
  const bag = new DiagnosticBag();
  const config = renderer.render(proxy, bag);
  expect(bag.all).toEqual([]);
  return config as EnvoyConfig;
}

/** One half of a proxy with only these parts. */
export function half(parts: Partial<ProxyIR['inbound']>): ProxyIR['inbound'] {
  return { listeners: [], routes: [], clusters: [], ...parts };
}

/** A listener rendered alone. */
export const listener = (ir: ListenerIR, proxy: Partial<ProxyIR> = {}): Resource =>
  rendered(proxyIR({ inbound: half({ listeners: [ir] }), ...proxy })).listeners[0] as Resource;

/** The JSON of a cluster rendered alone. */
export const cluster = (ir: Partial<ClusterIR>, ...endpoints: Parameters<typeof endpointIR>[]): Resource['json'] => {
  const made = clusterIR('c', ir, ...endpoints.map((endpoint) => endpointIR(...endpoint)));
  return rendered(proxyIR({ outbound: half({ clusters: [made] }) })).clusters[0]?.json ?? {};
};
