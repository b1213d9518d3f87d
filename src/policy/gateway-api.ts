import type { JsonObject } from '../source/document.ts';
import type { LabelSelector } from './label-selector.ts';
import type { MeshObject } from './object.ts';

/** The API group of the standard. */
export const standardGroup = 'gateway.networking.k8s.io';

/** The API group of what may become a part of the standard. */
export const experimentalGroup = 'gateway.networking.x-k8s.io';

/** Kind of the standard's Gateway, apart from the Gateway of `networking.mesh.io`. */
export const standardGatewayKind = `Gateway.${standardGroup}` as const;

/** The label by which the workloads of a Gateway are found that names no address; its value is the name of the Gateway. */
export const gatewayNameLabel = `${standardGroup}/gateway-name`;

const ownGatewayGroups: ReadonlySet<string | undefined> = new Set(['networking.mesh.io', 'networking.istio.io']);

/** Kind of an object of which nothing is sound but that it was parsed, with that of the standard's Gateway apart. */
export function statedKind({ apiVersion, kind }: JsonObject): string {
  const [group] = String(apiVersion).split('/');
  if (kind !== 'Gateway' || ownGatewayGroups.has(group)) return String(kind ?? '');
  // Of a Gateway of no known group nobody knows which one it was meant to be: it is none of the two.
  return group === standardGroup ? standardGatewayKind : `Gateway.${apiVersion}`;
}

export interface GatewayClass extends MeshObject<'GatewayClass'> {
  readonly spec: { readonly controllerName: string };
}

export interface CertificateRef {
  readonly name: string;
  readonly namespace?: string;
}

export interface AllowedRoutes {
  readonly namespaces?: {
    /** `Same` when absent. */
    readonly from?: 'All' | 'Same' | 'Selector' | 'None';
    readonly selector?: LabelSelector;
  };
  readonly kinds?: readonly { readonly kind: string }[];
}

/** Kinds of routes that listeners of a protocol may have. */
export const routeKinds: Readonly<Record<Listener['protocol'], readonly string[]>> = {
  HTTP: ['HTTPRoute', 'GRPCRoute'],
  HTTPS: ['HTTPRoute', 'GRPCRoute'],
  TLS: ['TLSRoute'],
};

/** The kinds of routes that may be attached to a listener. */
export function allowedKinds({
  protocol,
  allowedRoutes: { kinds = [] } = {},
}: Pick<Listener, 'protocol' | 'allowedRoutes'>): readonly string[] {
  const possible = routeKinds[protocol];
  return kinds.length === 0 ? possible : possible.filter((kind) => kinds.some((it) => it.kind === kind));
}

export interface Listener {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  readonly protocol: 'HTTP' | 'HTTPS' | 'TLS';
  readonly tls?: {
    /** `Terminate` when absent. */
    readonly mode?: 'Terminate' | 'Passthrough';
    readonly certificateRefs?: readonly CertificateRef[];
  };
  readonly allowedRoutes?: AllowedRoutes;
}

export interface StandardGateway extends MeshObject<typeof standardGatewayKind> {
  readonly spec: {
    readonly gatewayClassName: string;
    readonly listeners: readonly Listener[];
    readonly addresses?: readonly { readonly type: 'Hostname'; readonly value: string }[];
  };
}

export interface ParentRef {
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export interface BackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}

export interface HeaderModifier {
  readonly set?: readonly { readonly name: string; readonly value: string }[];
  readonly add?: readonly { readonly name: string; readonly value: string }[];
  readonly remove?: readonly string[];
}

export interface PathModifier {
  readonly type: 'ReplaceFullPath' | 'ReplacePrefixMatch';
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface RouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HeaderModifier;
  readonly responseHeaderModifier?: HeaderModifier;
  readonly requestMirror?: {
    readonly backendRef: BackendRef;
    readonly percent?: number;
    readonly fraction?: { readonly numerator: number; readonly denominator?: number };
  };
  readonly requestRedirect?: {
    readonly scheme?: 'http' | 'https';
    readonly hostname?: string;
    readonly port?: number;
    readonly statusCode?: number;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
}

export interface WeightedBackendRef extends BackendRef {
  /** 1 when absent. */
  readonly weight?: number;
  readonly filters?: readonly RouteFilter[];
}

/** A value that is exact unless the type says otherwise. */
export interface ValueCondition {
  readonly type?: 'Exact' | 'RegularExpression';
  readonly name: string;
  readonly value: string;
}

export interface HttpRouteMatch {
  readonly path?: { readonly type?: 'Exact' | 'PathPrefix' | 'RegularExpression'; readonly value?: string };
  readonly headers?: readonly ValueCondition[];
  readonly queryParams?: readonly ValueCondition[];
  readonly method?: string;
}

/** What rules for requests have, whatever they match. */
export interface RequestRule {
  readonly name?: string;
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly WeightedBackendRef[];
}

export interface GrpcRouteMatch {
  readonly method?: {
    readonly type?: 'Exact' | 'RegularExpression';
    readonly service?: string;
    readonly method?: string;
  };
  readonly headers?: readonly ValueCondition[];
}

export interface GrpcRouteRule extends RequestRule {
  readonly matches?: readonly GrpcRouteMatch[];
}

export interface HttpRouteRule extends RequestRule {
  readonly matches?: readonly HttpRouteMatch[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
}

/** What every kind of route has. */
export interface AttachedRoute<Kind extends string, Rule> extends MeshObject<Kind> {
  readonly spec: {
    readonly parentRefs: readonly ParentRef[];
    readonly hostnames?: readonly string[];
    readonly rules: readonly Rule[];
  };
}

export type StandardHttpRoute = AttachedRoute<'HTTPRoute', HttpRouteRule>;
export type StandardGrpcRoute = AttachedRoute<'GRPCRoute', GrpcRouteRule>;

export interface TlsRouteRule {
  readonly name?: string;
  readonly backendRefs: readonly WeightedBackendRef[];
}

export type StandardTlsRoute = AttachedRoute<'TLSRoute', TlsRouteRule>;

/** A route of requests. */
export type RequestRoute = StandardHttpRoute | StandardGrpcRoute;

export interface ReferenceGrant extends MeshObject<'ReferenceGrant'> {
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}

/** An object of the Gateway API that is read. */
export type StandardObject = GatewayClass | StandardGateway | RequestRoute | StandardTlsRoute | ReferenceGrant;

/** Objects of the Gateway API by kind, each list by namespace and name. */
export interface StandardSet {
  readonly gatewayClasses: readonly GatewayClass[];
  readonly gateways: readonly StandardGateway[];
  readonly httpRoutes: readonly StandardHttpRoute[];
  readonly grpcRoutes: readonly StandardGrpcRoute[];
  readonly tlsRoutes: readonly StandardTlsRoute[];
  readonly referenceGrants: readonly ReferenceGrant[];
}
