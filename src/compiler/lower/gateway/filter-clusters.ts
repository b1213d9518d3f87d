import type { InboundIR, OutboundIR } from '../../ir/proxy.ts';
import { clusterNames } from '../names.ts';

/** Clusters that nothing names but that belong to every proxy. */
const fixedClusters: ReadonlySet<string> = new Set([clusterNames.blackHole, clusterNames.passthrough]);

/**
 * The clusters that a gateway's listeners and routes name, wherever they name them (PILOT_FILTER_GATEWAY_CLUSTER_CONFIG).
 * Whatever text is the name of a cluster counts: one too many costs little, one too few a request.
 */
export function onlyNamedClusters(outbound: OutboundIR, { listeners, routes }: InboundIR): OutboundIR {
  const texts = new Set<string>(fixedClusters);
  for (const part of [...listeners, ...routes]) collectTexts(part, texts);
  return { ...outbound, clusters: outbound.clusters.filter(({ name }) => texts.has(name)) };
}

/** Origins point into whole documents, and name no cluster. */
function collectTexts(node: object, texts: Set<string>): void {
  for (const key in node) {
    const value: unknown = node[key as keyof typeof node];
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null && key !== 'origins') collectTexts(value, texts);
  }
}
