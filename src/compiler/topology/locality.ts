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
  const parts = [labels[topologyLabels.region], labels[topologyLabels.zone], labels[topologyLabels.subZone]];
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

const partByLabel = new Map<string, keyof Locality>([
  [topologyLabels.region, 'region'],
  [topologyLabels.zone, 'zone'],
  [topologyLabels.subZone, 'subZone'],
]);
