import type { HttpFilter, HttpManager } from '../lift/http-manager.ts';
import { stripAuthority } from '../model/authority.ts';
import { normalizePath } from '../model/normalize-path.ts';
import type { Outcome, Step } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { accessStep, denialDetails, judge } from './access-rules.ts';
import { checkWire } from './check-wire.ts';
import { findRoute } from './find-route.ts';
import { RequestView } from './request-view.ts';
import type { Surroundings } from './surroundings.ts';
import { judgeTokens } from './tokens.ts';

/** Follows a request through a connection manager: its own checks, its filters in order, and the route. */
export function manage(
  manager: HttpManager,
  connection: Connection,
  request: HttpRequest,
  surroundings: Surroundings,
  steps: Step[],
): Outcome {
  if (manager.gap !== undefined) return { kind: 'unmodelled', at: manager.gap };
  const fault = checkWire(connection.protocol, request);
  if (fault !== undefined) return fault;
  const normalized = normalizePath(request.path, manager.paths);
  if (normalized.kind === 'bad-request') return { kind: 'answered', status: 400, details: 'path_normalization_failed' };
  if (normalized.kind === 'redirect') return { kind: 'answered', status: 307, details: 'path_normalization_failed' };
  const headers = headerLines(request, connection.protocol);
  const view = new RequestView(
    connection,
    { method: request.method, path: normalized.path, authority: stripAuthority(request.authority, manager) },
    headers,
    remoteAddress(manager, connection, headers),
  );
  let alpn: readonly string[] | undefined;
  for (const filter of manager.filters) {
    if (filter.kind === 'alpn') alpn = filter.alpn;
    const outcome = through(filter, manager, view, surroundings, steps);
    if (outcome?.kind !== 'reaches') {
      if (outcome !== undefined) return outcome;
      continue;
    }
    const sent = { ...request, path: view.path, authority: view.authority, headers: forwarded(request.headers) };
    return { ...outcome, request: sent, ...(alpn !== undefined && { alpn }) };
  }
  return { kind: 'unmodelled', at: 'http_filters' };
}

function through(
  filter: HttpFilter,
  manager: HttpManager,
  view: RequestView,
  surroundings: Surroundings,
  steps: Step[],
): Outcome | undefined {
  if (filter.gap !== undefined) return { kind: 'unmodelled', at: filter.gap };
  switch (filter.kind) {
    case 'rbac': {
      if (filter.rules === undefined) return undefined;
      const verdict = judge(filter.rules, view);
      if (verdict.kind === 'unmodelled') return verdict;
      steps.push(accessStep('access', filter.rules, verdict.rule, view));
      if (verdict.kind === 'passed') return undefined;
      const details = denialDetails(verdict.rule);
      return { kind: 'answered', status: manager.unauthorized.includes(details) ? 401 : 403, details };
    }
    case 'jwt': {
      const outcome = judgeTokens(filter, view, surroundings.tokens);
      if (outcome !== undefined) steps.push({ station: 'token', at: filter.at, decider: '' });
      return outcome;
    }
    case 'router': {
      const table = surroundings.routes.get(manager.routes);
      return findRoute(table, view, steps);
    }
    case 'alpn':
    case 'transparent':
      return undefined;
    case 'unknown':
      return { kind: 'unmodelled', at: filter.gap };
  }
}

/** A client's own word of who it is goes no further. */
function forwarded(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return headers.filter(([name]) => name.toLowerCase() !== 'x-forwarded-client-cert');
}

/** By name in lower case, in the order of the wire. HTTP/1 has no blanks around a value, HTTP/2 leaves them there. */
function headerLines(
  { headers }: HttpRequest,
  protocol: Connection['protocol'],
): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  for (const [name, raw] of headers) {
    const value = protocol === 'h2' ? raw : raw.replaceAll(/^[ \t]+|[ \t]+$/g, '');
    const key = name.toLowerCase();
    const known = lines.get(key);
    if (known === undefined) lines.set(key, [value]);
    else known.push(value);
  }
  return lines;
}

/**
 * The client's address as `remote_ip` sees it: the socket's peer, or what forwarding headers tell beyond the proxies that
 * are believed. Without `use_remote_address` and believed proxies that is the last entry, whoever wrote it.
 */
function remoteAddress(
  { usesRemoteAddress, trustedHops }: HttpManager,
  { source }: Connection,
  headers: ReadonlyMap<string, readonly string[]>,
): string {
  const hops = usesRemoteAddress ? trustedHops - 1 : trustedHops;
  if (hops < 0) return source;
  const entries = (headers.get('x-forwarded-for') ?? []).join(',').split(',');
  const entry = entries.at(-1 - hops)?.trim();
  return entry !== undefined && isAddress(entry) ? entry : source;
}

function isAddress(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text)
    ? text.split('.').every((part) => Number(part) < 256)
    : text.includes(':');
}
