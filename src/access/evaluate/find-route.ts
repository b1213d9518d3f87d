import type { Route, RouteTable, VirtualHost } from '../lift/route.ts';
import { splitPort } from '../model/authority.ts';
import { lowerCase } from '../model/bytes.ts';
import { splitQuery } from '../model/normalize-path.ts';
import type { Outcome, Step } from '../outcome.ts';
import { headerHolds } from './conditions.ts';
import type { RequestView } from './request-view.ts';

/** Where the router sends a request, or what it answers. */
export function findRoute(table: RouteTable | undefined, view: RequestView, steps: Step[]): Outcome {
  if (table === undefined) return { kind: 'unmodelled', at: 'rds' };
  if (table.gap !== undefined) return { kind: 'unmodelled', at: table.gap };
  const authority = lowerCase(view.authority);
  const host = findVirtualHost(table.virtualHosts, table.ignoresPort ? splitPort(authority)[0] : authority);
  for (const route of host?.routes ?? []) {
    if (route.gap !== undefined) return { kind: 'unmodelled', at: route.gap };
    if (!takes(route, view)) continue;
    steps.push({ station: 'route', at: route.at, decider: route.name, table: table.name });
    return outcomeOf(route);
  }
  return { kind: 'answered', status: 404, details: 'route_not_found' };
}

function outcomeOf({ action }: Route): Outcome {
  switch (action.kind) {
    case 'forward':
      return { kind: 'reaches', clusters: action.clusters.map(({ name }) => name) };
    case 'answer':
      return { kind: 'answered', status: action.status, details: 'direct_response' };
    case 'redirect':
      return { kind: 'answered', status: action.status, details: 'direct_response' };
  }
}

/** The domain itself, then the longest `*.suffix`, then the longest `prefix.*`, then `*`. */
function findVirtualHost(hosts: readonly VirtualHost[], authority: string): VirtualHost | undefined {
  const exact = hosts.find(({ domains }) => domains.includes(authority));
  if (exact !== undefined) return exact;
  const longest = (fits: (domain: string) => boolean): VirtualHost | undefined => {
    const found = hosts.flatMap((host) => host.domains.filter(fits).map((domain) => ({ host, length: domain.length })));
    return found.sort((a, b) => b.length - a.length)[0]?.host;
  };
  return (
    longest(
      (domain) =>
        domain.length > 1 &&
        domain.startsWith('*') &&
        isLonger(authority, domain) &&
        authority.endsWith(domain.slice(1)),
    ) ??
    longest(
      (domain) =>
        domain.length > 1 &&
        domain.endsWith('*') &&
        isLonger(authority, domain) &&
        authority.startsWith(domain.slice(0, -1)),
    ) ??
    hosts.find(({ domains }) => domains.includes('*'))
  );
}

/** A wildcard stands for at least one character. */
function isLonger(authority: string, domain: string): boolean {
  return authority.length >= domain.length;
}

function takes({ match }: Route, view: RequestView): boolean {
  if (!match.path.matches(view.barePath)) return false;
  if (!match.headers.every((header) => headerHolds(header, view.lines(header.name)))) return false;
  if (match.parameters.length === 0) return true;
  const query = new URLSearchParams(splitQuery(view.path)[1]);
  return match.parameters.every(({ name, match: wanted }) => {
    const value = query.get(name);
    return value !== null && (wanted === 'present' || wanted.matches(value));
  });
}
