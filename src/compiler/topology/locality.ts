import type { Labels } from './selector.ts';

/** Where something runs, from large to small; an empty part is unknown. */
export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
}

/** Reads `region/zone/subzone`, possibly shortened. */
export function parseLocality(text: string): Locality {
  const [region = '', zone = '', ...rest] = text.split('/');
  return { region, zone, subZone: rest.join('/') };
}

/** Locality that the labels of a workload name, as text; undefined where they name none. */
export function localityOfLabels(labels: Labels): string | undefined {
  const label = labels['mesh-locality'];
  // Label values cannot hold slashes, so dots stand for them.
  if (label) return label.includes('/') ? label : label.replaceAll('.', '/');
  return joined([labels[topologyLabels.region], labels[topologyLabels.zone], labels[topologyLabels.subZone]]);
}

/** Locality that a node gives its pods, by the labels of its topology; undefined where it has none. */
export function localityOfNode(labels: Labels): string | undefined {
  const names = [topologyLabels.region, topologyLabels.zone, topologyLabels.subZone] as const;
  const parts = names.map((name) => labels[name] || labels[earlierLabels[name] ?? '']);
  return joined(parts);
}

/** As far as the parts are known from the largest on. */
function joined(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.slice(0, parts.findIndex((part) => !part) >>> 0);
  return known.length === 0 ? undefined : known.join('/');
}

/** Value of a label; where nobody wrote a label of the topology, it follows from the locality. */
export function labelOrLocality(labels: Labels, locality: string | undefined, key: string): string | undefined {
  const value = labels[key];
  if (value !== undefined || locality === undefined) return value;
  const part = partByLabel.get(key);
  return (part && parseLocality(locality)[part]) || undefined;
}

const topologyLabels = {
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
  subZone: 'topology.mesh.io/subzone',
} as const;

/** What nodes were labelled with before Kubernetes 1.17. */
const earlierLabels: Readonly<Record<string, string>> = {
  [topologyLabels.region]: 'failure-domain.beta.kubernetes.io/region',
  [topologyLabels.zone]: 'failure-domain.beta.kubernetes.io/zone',
};

const partByLabel = new Map<string, keyof Locality>([
  [topologyLabels.region, 'region'],
  [topologyLabels.zone, 'zone'],
  [topologyLabels.subZone, 'subZone'],
]);
