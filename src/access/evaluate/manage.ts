import type { HttpFilter, HttpManager } from '../lift/http-manager.ts';
import type { RouteTarget } from '../lift/route-action.ts';
import { isSettled } from '../model/normalize-path.ts';
import type { Outcome, Step } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { accessStep, denialDetails, judge, leaveShadow } from './access-rules.ts';
import { answered, inFormOf } from './answer.ts';
import { askAuthorizer } from './authorizer.ts';
import { answerPreflight } from './cors.ts';
import { type FoundRoute, findRoute } from './find-route.ts';
import { translateGrpcWeb } from './grpc-web.ts';
import { receive } from './receive.ts';
import type { RequestView } from './request-view.ts';
import { sendOn } from './send-on.ts';
import type { Surroundings } from './surroundings.ts';
import { judgeTokens } from './tokens.ts';

/** A request inside a connection manager. */
interface Passing {
  readonly manager: HttpManager;
  readonly view: RequestView;
  readonly found: FoundRoute;
  readonly surroundings: Surroundings;
  readonly steps: Step[];
}

/** Follows a request through a connection manager: its own checks, its filters in order, and the route. */
export function manage(
  manager: HttpManager,
  connection: Connection,
  request: HttpRequest,
  surroundings: Surroundings,
  steps: Step[],
): Outcome {
  if (manager.gap !== undefined) return { kind: 'unmodelled', at: manager.gap };
  const { blanks } = surroundings;
  const received = receive(manager, connection, request, blanks);
  if ('outcome' in received)
    return isOfCodec(received.outcome)
      ? received.outcome
      : inFormOf(request, received.outcome, connection.protocol, blanks);
  const { view } = received;
  const found = findRoute(surroundings.routes.get(manager.routes), view);
  if (manager.takesOperation) view.headers.delete('x-envoy-decorator-operation');
  const passing: Passing = { manager, view, found, surroundings, steps };
  // A filter may give it the type of another.
  const arrived = manager.filters.some(({ kind }) => kind === 'grpc-web') ? view.request : undefined;
  let alpn: readonly string[] | undefined;
  for (const filter of manager.filters) {
    if (filter.kind === 'alpn') alpn = filter.alpn;
    const outcome = through(filter, passing);
    if (outcome?.kind === 'reaches') return alpn === undefined ? outcome : { ...outcome, alpn };
    // The filter for CORS writes its answer itself.
    if (outcome === undefined) continue;
    return filter.kind === 'cors' ? outcome : inFormOf(arrived ?? view.request, outcome, connection.protocol, blanks);
  }
  return { kind: 'unmodelled', at: 'http_filters' };
}

/** The codec answers before it knows what the client expects. */
function isOfCodec(outcome: Outcome): boolean {
  return outcome.kind !== 'answered' || /^http1?\./.test(outcome.details);
}

function through(filter: HttpFilter, passing: Passing): Outcome | undefined {
  if (filter.gap !== undefined) return { kind: 'unmodelled', at: filter.gap };
  const { view, found, surroundings, steps } = passing;
  switch (filter.kind) {
    case 'rbac':
      return throughRules(filter, passing);
    case 'jwt': {
      const outcome = judgeTokens(filter, view, surroundings);
      if (outcome !== undefined) steps.push({ station: 'token', at: filter.at, decider: '' });
      return outcome;
    }
    case 'authorizer': {
      const outcome = askAuthorizer(filter.authorizer, view, surroundings);
      if (outcome === undefined) return undefined;
      const { statusWhenAway } = filter.authorizer;
      steps.push({ station: 'authorizer', at: filter.at, decider: filter.authorizer.name });
      if (outcome === 'allow') return undefined;
      return outcome === 'deny' ? answered(403, 'ext_authz_denied') : answered(statusWhenAway, 'ext_authz_error');
    }
    case 'cors': {
      if (found.kind === 'unmodelled') return found;
      const outcome = answerPreflight(found.kind === 'route' ? found.route.filters.cors : undefined, view);
      if (outcome !== undefined) steps.push(routeStep('cors', found));
      return outcome;
    }
    case 'fault':
      return throughFault(filter, passing);
    case 'router':
      surroundings.observer?.passed(view);
      return throughRouter(filter.tells, passing);
    case 'grpc-web':
      return translateGrpcWeb(view);
    case 'alpn':
      return undefined;
    case 'unknown':
      return { kind: 'unmodelled', at: filter.gap };
  }
}

function throughRules({ access }: HttpFilter & { readonly kind: 'rbac' }, passing: Passing): Outcome | undefined {
  const { manager, view, steps, surroundings } = passing;
  const { observer } = surroundings;
  const { rules, shadow } = access;
  if (shadow !== undefined) {
    const gap = leaveShadow('envoy.filters.http.rbac', shadow, view, observer);
    if (gap !== undefined) return { kind: 'unmodelled', at: gap };
  }
  if (rules === undefined) return undefined;
  const verdict = judge(rules, view, observer);
  if (verdict.kind === 'unmodelled') return verdict;
  steps.push(accessStep('access', rules, verdict.rule, view));
  if (verdict.kind === 'passed') return undefined;
  const details = denialDetails(verdict.rule);
  return answered(manager.unauthorized.includes(details) ? 401 : 403, details);
}

function throughFault(
  filter: HttpFilter & { readonly kind: 'fault' },
  { found, surroundings, steps }: Passing,
): Outcome | undefined {
  if (found.kind === 'unmodelled') return found;
  const own = found.kind === 'route' ? found.route.filters.fault : undefined;
  const fault = own ?? filter.fault;
  if (fault === undefined || fault.share === 'none') return undefined;
  const name = found.kind === 'route' ? found.route.name : '';
  const isMet = fault.share === 'all' || surroundings.choose('fault', name, ['injected', 'passed']) === 'injected';
  if (!isMet) return undefined;
  steps.push(own === undefined ? { station: 'fault', at: filter.at, decider: '' } : routeStep('fault', found));
  const { status, grpcStatus } = fault;
  return { kind: 'answered', status, details: 'fault_filter_abort', ...(grpcStatus !== undefined && { grpcStatus }) };
}

function throughRouter(tells: boolean, { found, view, surroundings, steps }: Passing): Outcome {
  if (found.kind === 'unmodelled') return found;
  if (found.kind === 'none') {
    steps.push(missingRoute(found, view, steps));
    return answered(404, 'route_not_found');
  }
  const { action, name } = found.route;
  steps.push(routeStep('route', found));
  if (action.kind !== 'forward') return answered(action.status, 'direct_response');
  const target = chooseTarget(action.clusters, name, surroundings);
  if (target === undefined) return { kind: 'unmodelled', at: 'weighted_clusters' };
  // A filter may have unescaped what no header can have.
  if (!isSettled(view.path) && /[\0\r\n]/.test(view.path))
    return answered(503, 'filter_removed_required_request_headers{invalid_header_value_for:_:path}');
  const onward = view.onward();
  sendOn(onward, found, action, target, tells);
  return { kind: 'reaches', clusters: [target.name], request: onward.request };
}

/** Decided by the host that has no route for the request, else by what says which hosts there are: the servers of the chain. */
function missingRoute(
  { table, lacks }: FoundRoute & { readonly kind: 'none' },
  { authority }: RequestView,
  steps: readonly Step[],
): Step {
  const ofTable = { station: 'route', decider: '', table: table.name } as const;
  if (lacks === 'scheme') return { ...ofTable, at: table.at, why: 'x-forwarded-proto is empty, so there is no scheme' };
  if (lacks !== 'host') return { ...ofTable, at: lacks.at, why: `the host has no route for this request` };
  const why = `there is no host ${authority}`;
  const chain = steps.find(({ station }) => station === 'chain');
  return chain === undefined ? { ...ofTable, at: table.at, why } : { station: 'route', at: chain.at, decider: '', why };
}

/** By their weights, unless there is one alone. */
function chooseTarget(
  targets: readonly RouteTarget[],
  route: string,
  { choose }: Surroundings,
): RouteTarget | undefined {
  if (targets.length === 1) return targets[0];
  const weighted = targets.filter(({ weight }) => weight > 0);
  const names = weighted.map(({ name }) => name);
  const chosen = names.length > 1 ? choose('weight', route, names) : names[0];
  return weighted.find(({ name }) => name === chosen);
}

function routeStep(station: Step['station'], found: FoundRoute): Step {
  if (found.kind !== 'route') throw new Error('there is no route');
  const { route, table } = found;
  return { station, at: route.at, decider: route.name, table: table.name };
}
