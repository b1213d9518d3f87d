import type { DirectResponseIR, RedirectIR, RouteConfigurationIR, RouteIR, VirtualHostIR } from '../ir/route.ts';
import { type ForwardView, forwardView } from './forward-view.ts';
import { type HeaderChangesView, headerChangesView } from './header-changes-view.ts';
import { type Originated, placed } from './placed.ts';
import { kept } from './placing.ts';
import { type CorsView, corsView, type FaultView, faultView } from './route-features-view.ts';
import { type RouteMatchView, routeMatchView } from './route-match-view.ts';

/** One of `forward`, `redirect` and `directResponse` is set. */
export interface RouteView extends HeaderChangesView {
  readonly name: Originated<string>;
  readonly match: RouteMatchView;
  readonly forward?: ForwardView;
  readonly redirect?: Readonly<Record<string, unknown>>;
  readonly directResponse?: Readonly<Record<string, unknown>>;
  readonly statPrefix?: string;
  readonly features?: { readonly cors?: CorsView; readonly fault?: FaultView };
}

/** Its routes are tried in order. */
export interface VirtualHostView {
  readonly name: Originated<string>;
  readonly domains: readonly string[];
  readonly includeAttemptCount: boolean;
  readonly routes: readonly RouteView[];
}

/** What `routes.json.hbs` sees. */
export interface RouteConfigurationView {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHostView[];
  readonly requestHeadersToRemove?: readonly string[];
  /** Envoy takes no longer body than 4096 bytes unless it is told. */
  readonly maxDirectResponseBodyBytes?: number;
}

/** The name is that of the RDS resource. */
export function routeConfigurationView(configuration: RouteConfigurationIR): RouteConfigurationView {
  const longest = Math.max(0, ...configuration.virtualHosts.flatMap(({ routes }) => routes.map(bodyBytes)));
  return {
    name: configuration.name,
    virtualHosts: configuration.virtualHosts.map(virtualHostView),
    ...(configuration.requestHeadersToRemove === undefined
      ? {}
      : { requestHeadersToRemove: configuration.requestHeadersToRemove }),
    ...(longest > 4096 ? { maxDirectResponseBodyBytes: longest } : {}),
  };
}

/** A virtual host stands in the tables of many client scopes, and in those of before and after a change. */
const views = new WeakMap<VirtualHostIR, VirtualHostView>();

function virtualHostView(host: VirtualHostIR): VirtualHostView {
  let view = views.get(host);
  if (view === undefined) {
    view = kept({
      name: placed(host.name, host.origins),
      domains: host.domains,
      includeAttemptCount: host.includeAttemptCount,
      routes: host.routes.map(routeView),
    });
    views.set(host, view);
  }
  return view;
}

function routeView(route: RouteIR): RouteView {
  const { action, requestHeaders, responseHeaders, cors, fault, statPrefix } = route;
  const features = {
    ...(cors === undefined ? {} : { cors: corsView(cors) }),
    ...(fault === undefined ? {} : { fault: faultView(fault) }),
  };
  return {
    name: placed(route.name, route.origins),
    match: routeMatchView(route.match),
    ...(action.kind === 'redirect'
      ? { redirect: redirectView(action) }
      : action.kind === 'direct-response'
        ? { directResponse: directResponseView(action) }
        : { forward: forwardView(action) }),
    ...headerChangesView(requestHeaders, responseHeaders),
    ...(statPrefix === undefined ? {} : { statPrefix }),
    ...(cors === undefined && fault === undefined ? {} : { features }),
  };
}

const redirectCodes: Readonly<Record<RedirectIR['status'], string>> = {
  301: 'MOVED_PERMANENTLY',
  302: 'FOUND',
  303: 'SEE_OTHER',
  307: 'TEMPORARY_REDIRECT',
  308: 'PERMANENT_REDIRECT',
};

function redirectView({ status, scheme, host, port, path }: RedirectIR): Readonly<Record<string, unknown>> {
  return {
    ...(scheme === undefined ? {} : { scheme_redirect: scheme }),
    ...(host === undefined ? {} : { host_redirect: host }),
    ...(port === undefined ? {} : { port_redirect: port }),
    ...(path === undefined ? {} : { path_redirect: path }),
    response_code: redirectCodes[status],
  };
}

function directResponseView({ status, body }: DirectResponseIR): Readonly<Record<string, unknown>> {
  if (body === undefined) return { status };
  return { status, body: 'text' in body ? { inline_string: body.text } : { inline_bytes: body.base64 } };
}

function bodyBytes({ action }: RouteIR): number {
  if (action.kind !== 'direct-response' || action.body === undefined) return 0;
  return 'text' in action.body
    ? new TextEncoder().encode(action.body.text).length
    : Math.ceil((action.body.base64.length * 3) / 4);
}
