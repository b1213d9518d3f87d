import type { JsonPath } from '../../diagnostics/span.ts';
import type {
  HttpRouteRule,
  RequestRoute,
  RequestRule,
  RouteFilter,
  WeightedBackendRef,
} from '../../policy/gateway-api.ts';
import type { HttpRoute } from '../../policy/virtual-service.ts';
import { type BackendContext, type BackendFault, type BackendShares, findBackend, shareBackends } from './backends.ts';
import { checkGrpcBackend } from './grpc-backends.ts';
import { headersOf, redirectOf, rewriteOf, timeoutsOf } from './http-filters.ts';
import type { MatchPart } from './http-match.ts';
import type { ServedListener } from './listeners.ts';
import type { WrittenPart } from './made-service.ts';
import type { RankedMatch } from './precedence.ts';

/** A rule for requests or for calls. */
type AnyRule = RequestRule & Pick<HttpRouteRule, 'timeouts'> & { readonly matches?: readonly object[] };

/** An HTTP route of a VirtualService, and where its parts are written. */
export interface MadeRoute extends WrittenPart {
  readonly http: HttpRoute;
}

/** What becomes of a request for which no backend can be used. A call over gRPC gets the status UNAVAILABLE by 503. */
const withoutBackend = {
  HTTPRoute: { status: 500, text: 'its share of the requests is answered with 500' },
  GRPCRoute: { status: 503, text: 'its share of the calls ends with the status UNAVAILABLE' },
} as const;

/** Rules of HTTPRoutes and GRPCRoutes as routes of VirtualServices. Of each rule the backends are looked up once. */
export class HttpRules {
  readonly #context: BackendContext;
  readonly #targets = new Map<AnyRule, Targets>();

  constructor(context: BackendContext) {
    this.#context = context;
  }

  /** What a match of a rule is at a listener. */
  routesOf({ route, rule: index, match, parts }: RankedMatch, { listener }: ServedListener): readonly MadeRoute[] {
    const rule: AnyRule = route.spec.rules[index] ?? {};
    const targets = this.#targetsOf(route, index, rule);
    const redirect = redirectOf(rule.filters ?? [], listener);
    const headers = headersOf(rule.filters ?? []);
    return parts.map((part) => ({
      http: {
        name: [route.namespace, route.name, rule.name ?? index].join('.'),
        match: [part.match],
        ...(headers === undefined ? {} : { headers }),
        ...(redirect === undefined ? forwarded(rule, targets, part, withoutBackend[route.kind].status) : { redirect }),
      },
      writtenAs: (path) => ({ object: route, field: writtenField({ rule, index, match, targets }, path) }),
    }));
  }

  /** The backends of a route that cannot be used, also of one that no listener serves. */
  faultsOf(route: RequestRoute): readonly BackendFault[] {
    const rules: readonly AnyRule[] = route.spec.rules;
    return rules.flatMap((rule, index) => this.#targetsOf(route, index, rule).faults);
  }

  #targetsOf(route: RequestRoute, index: number, rule: AnyRule): Targets {
    let targets = this.#targets.get(rule);
    if (targets === undefined) {
      targets = targetsOf(route, ['spec', 'rules', index], rule, this.#context);
      this.#targets.set(rule, targets);
    }
    return targets;
  }
}

/** Where the requests of a rule go. */
interface Targets extends BackendShares<WeightedBackendRef> {
  readonly mirrors: NonNullable<HttpRoute['mirrors']>;
}

function targetsOf(
  route: RequestRoute,
  path: JsonPath,
  { filters = [], backendRefs = [] }: AnyRule,
  context: BackendContext,
): Targets {
  const otherwise = withoutBackend[route.kind].text;
  const shares = shareBackends(backendRefs, { route, path: [...path, 'backendRefs'], otherwise }, context);
  if (route.kind === 'GRPCRoute') {
    for (const { index, backend } of shares.usable) {
      checkGrpcBackend(backend, { route, path: [...path, 'backendRefs', index] }, context);
    }
  }
  const faults = [...shares.faults];
  const mirrors = filters.flatMap(({ requestMirror }, i) => {
    if (requestMirror === undefined) return [];
    const place = {
      route,
      path: [...path, 'filters', i, 'requestMirror', 'backendRef'],
      otherwise: 'it gets no copies',
    };
    const found = findBackend(requestMirror.backendRef, place, context);
    if ('host' in found) return [{ destination: found, percentage: { value: mirrored(requestMirror) } }];
    faults.push(found);
    return [];
  });
  return { ...shares, faults, mirrors };
}

function mirrored({ percent, fraction }: NonNullable<RouteFilter['requestMirror']>): number {
  if (fraction !== undefined) return Math.min(100, (100 * fraction.numerator) / (fraction.denominator ?? 100));
  return percent ?? 100;
}

/** The share of backends that cannot be used is answered at once; where that is everything, nothing is forwarded. */
function forwarded(rule: AnyRule, { usable, lost, mirrors }: Targets, part: MatchPart, status: number): HttpRoute {
  if (usable.length === 0) return { directResponse: { status } };
  const total = usable.reduce((sum, { weight }) => sum + weight, lost);
  const rewrite = rewriteOf(rule.filters ?? [], part);
  return {
    route: usable.map(({ destination, weight, backend }) => {
      const headers = headersOf(backend.filters ?? []);
      return { destination, weight, ...(headers === undefined ? {} : { headers }) };
    }),
    ...(lost === 0 ? {} : { fault: { abort: { percentage: { value: (100 * lost) / total }, httpStatus: status } } }),
    ...(rewrite === undefined ? {} : { rewrite }),
    ...(mirrors.length === 0 ? {} : { mirrors }),
    ...timeoutsOf(rule),
  };
}

interface RulePlace {
  readonly rule: AnyRule;
  readonly index: number;
  readonly match: number;
  readonly targets: Targets;
}

/** Where a field of the made route is written; its path is that below the entry of `http`. */
function writtenField({ rule, index, match, targets }: RulePlace, [field, entry]: JsonPath): JsonPath {
  const path: JsonPath = ['spec', 'rules', index];
  switch (field) {
    case 'match':
      return rule.matches === undefined ? path : [...path, 'matches', match];
    case 'route':
      return [...path, 'backendRefs', targets.usable[Number(entry ?? 0)]?.index ?? 0];
    case 'redirect':
    case 'rewrite':
    case 'headers':
    case 'mirrors':
      return [...path, 'filters'];
    case 'timeout':
    case 'retries':
      return [...path, 'timeouts'];
    default:
      return path;
  }
}
