import { compareStrings } from '../../../lib/sort.ts';
import { labelOrLocality, parseLocality } from '../../topology/locality.ts';
import type { Endpoint } from '../../topology/model.ts';
import { type LocalityBalancing, matchesLocality } from './locality-balancing.ts';

/** Endpoints of one locality and priority. */
export interface LocalityGroup {
  /** `region/zone/subzone`, empty where unknown. */
  readonly locality: string;
  readonly members: readonly Endpoint[];
  /** 0 is used first; without gaps, which Envoy would refuse. */
  readonly priority: number;
  readonly weight: number | undefined;
}

/** Endpoints in the groups that a client tells apart, by priority, then by locality. */
export function localityGroups(endpoints: readonly Endpoint[], balancing: LocalityBalancing): readonly LocalityGroup[] {
  switch (balancing.kind) {
    case 'none':
      return ranked(endpoints, () => 0).map((group) => ({ ...group, weight: undefined }));
    case 'weighted':
      return ranked(endpoints, () => 0);
    case 'shares':
      return shared(
        ranked(endpoints, () => 0),
        balancing.shares,
      );
    case 'priorities':
      return ranked(endpoints, (endpoint) => rankOf(endpoint, balancing));
  }
}

/** Each locality and rank a group that weighs what its endpoints do; ranks become priorities. */
function ranked(endpoints: readonly Endpoint[], rank: (endpoint: Endpoint) => number): LocalityGroup[] {
  const byRank = new Map<number, Map<string, Endpoint[]>>();
  for (const endpoint of endpoints) {
    const own = rank(endpoint);
    const byLocality = byRank.get(own) ?? new Map<string, Endpoint[]>();
    byRank.set(own, byLocality);
    const locality = endpoint.locality ?? '';
    const members = byLocality.get(locality);
    if (members === undefined) byLocality.set(locality, [endpoint]);
    else members.push(endpoint);
  }
  const inOrder = [...byRank].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([, byLocality], priority) =>
    [...byLocality]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([locality, members]) => ({ locality, members, priority, weight: weightOf(members) })),
  );
}

/** The localities that one pattern names divide its percentage by their weights; what no pattern names is left out. */
function shared(groups: readonly LocalityGroup[], shares: Readonly<Record<string, number>>): LocalityGroup[] {
  const kept: LocalityGroup[] = [];
  const totals = new Map<string, number>();
  const patternOf = ({ locality }: LocalityGroup): string | undefined =>
    Object.keys(shares).find((pattern) => matchesLocality(pattern, locality));
  for (const group of groups) {
    const pattern = patternOf(group);
    if (pattern !== undefined) totals.set(pattern, (totals.get(pattern) ?? 0) + (group.weight ?? 0));
  }
  for (const group of groups) {
    const pattern = patternOf(group);
    if (pattern === undefined) continue;
    const percent = shares[pattern] ?? 0;
    kept.push({ ...group, weight: Math.ceil((percent * (group.weight ?? 0)) / (totals.get(pattern) ?? 1)) });
  }
  return kept;
}

/** More ranks by locality than there are: one label counts for more than any distance. */
const localityRanks = 5;

/**
 * Lower is nearer: first by how many labels hold in a row, then by how much of the locality is the client's (all three
 * parts, two, one, none; regions that a failover does not name come last).
 */
function rankOf(
  { labels, locality = '' }: Endpoint,
  balancing: Extract<LocalityBalancing, { kind: 'priorities' }>,
): number {
  const wanted = balancing.labels;
  const broken = wanted.findIndex(([key, value]) => (labelOrLocality(labels, locality, key) ?? '') !== value);
  const byLabels = broken === -1 ? 0 : wanted.length - broken;
  if (balancing.locality === undefined) return byLabels * localityRanks;
  return byLabels * localityRanks + distance(balancing.locality, locality, balancing.failoverTo);
}

function distance(client: string, server: string, failoverTo: string | undefined): number {
  const [own, other] = [parseLocality(client), parseLocality(server)];
  if (own.region !== other.region) return failoverTo === undefined || failoverTo === other.region ? 3 : 4;
  if (own.zone !== other.zone) return 2;
  return own.subZone === other.subZone ? 0 : 1;
}

function weightOf(members: readonly Endpoint[]): number {
  return members.reduce((sum, { weight }) => sum + (weight || 1), 0);
}
