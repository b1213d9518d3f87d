import type { JsonPath } from '../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../policy/authorization-policy.ts';
import type { DestinationRule } from '../policy/destination-rule.ts';
import type { Gateway } from '../policy/gateway.ts';
import type { MeshObject } from '../policy/object.ts';
import type { PeerAuthentication } from '../policy/peer-authentication.ts';
import type { ProxyConfig } from '../policy/proxy-config.ts';
import type { RequestAuthentication } from '../policy/request-authentication.ts';
import type { Sidecar } from '../policy/sidecar.ts';
import type * as kinds from '../policy/topology-kinds.ts';
import type { VirtualService } from '../policy/virtual-service.ts';
import type { PolicyDocument } from '../source/document.ts';

/** Metadata of an object that a test makes; `name` may be `namespace/name`. */
export interface Meta {
  readonly name: string;
  readonly createdAt?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A document without text: every field stands at its own path, written as the name of the file. */
function fakeDocument(file: string): PolicyDocument {
  const spanOf = (path: JsonPath) => ({ file: path.length > 0 ? `${file}#${path.join('.')}` : file, start: 0, end: 0 });
  return { file, value: {}, start: { file, start: 0, end: 0 }, spanOf };
}

/** Fields that every object has; its file is `Kind/namespace/name`. */
export function meshObject<K extends string>(kind: K, meta: string | Meta): MeshObject<K> {
  const { name: path, createdAt = 0, labels = {}, annotations = {} } = typeof meta === 'string' ? { name: meta } : meta;
  const [namespace, name] = path.includes('/') ? path.split('/') : ['default', path];
  return {
    kind,
    namespace: namespace ?? '',
    name: name ?? '',
    createdAt,
    labels,
    annotations,
    document: fakeDocument(`${kind}/${path}`),
  };
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): kinds.Namespace {
  return { ...meshObject('Namespace', { name: `/${name}`, labels }) };
}

export function node(name: string, labels: Readonly<Record<string, string>> = {}): kinds.Node {
  return { ...meshObject('Node', { name: `/${name}`, labels }) };
}

export function service(meta: string | Meta, spec: kinds.Service['spec']): kinds.Service {
  return { ...meshObject('Service', meta), spec };
}

/** A running pod with one address and a sidecar, unless `status` or `labels` say otherwise. */
export function pod(
  meta: string | Meta,
  podIP: string | undefined,
  spec: kinds.PodSpec = { containers: [{ name: 'mesh-proxy' }] },
  status: kinds.Pod['status'] = {},
): kinds.Pod {
  return { ...meshObject('Pod', meta), spec, status: { phase: 'Running', ...(podIP ? { podIP } : {}), ...status } };
}

export function controller(
  kind: kinds.ControllerKind,
  meta: string | Meta,
  template: kinds.WorkloadController['spec']['template'],
  fields: Readonly<Record<string, unknown>> = {},
): kinds.WorkloadController {
  return { ...meshObject(kind, meta), spec: { ...fields, template } };
}

export function endpoints(meta: string | Meta, subsets: NonNullable<kinds.Endpoints['subsets']>): kinds.Endpoints {
  return { ...meshObject('Endpoints', meta), subsets };
}

export function endpointSlice(
  meta: Meta,
  slice: Pick<kinds.EndpointSlice, 'addressType' | 'endpoints' | 'ports'>,
): kinds.EndpointSlice {
  return { ...meshObject('EndpointSlice', meta), ...slice };
}

export function workloadEntry(meta: string | Meta, spec: kinds.WorkloadEntrySpec): kinds.WorkloadEntry {
  return { ...meshObject('WorkloadEntry', meta), spec };
}

export function workloadGroup(meta: string | Meta, spec: kinds.WorkloadGroup['spec']): kinds.WorkloadGroup {
  return { ...meshObject('WorkloadGroup', meta), spec };
}

export function serviceEntry(meta: string | Meta, spec: kinds.ServiceEntry['spec']): kinds.ServiceEntry {
  return { ...meshObject('ServiceEntry', meta), spec };
}

export function peerAuthentication(meta: string | Meta, spec: PeerAuthentication['spec']): PeerAuthentication {
  return { ...meshObject('PeerAuthentication', meta), spec };
}

export function destinationRule(meta: string | Meta, spec: DestinationRule['spec']): DestinationRule {
  return { ...meshObject('DestinationRule', meta), spec };
}

export function requestAuthentication(meta: string | Meta, spec: RequestAuthentication['spec']): RequestAuthentication {
  return { ...meshObject('RequestAuthentication', meta), spec };
}

export function authorizationPolicy(meta: string | Meta, spec: AuthorizationPolicy['spec']): AuthorizationPolicy {
  return { ...meshObject('AuthorizationPolicy', meta), spec };
}

export function proxyConfig(meta: string | Meta, spec: ProxyConfig['spec']): ProxyConfig {
  return { ...meshObject('ProxyConfig', meta), spec };
}

export function gateway(meta: string | Meta, spec: Gateway['spec']): Gateway {
  return { ...meshObject('Gateway', meta), spec };
}

export function sidecar(meta: string | Meta, spec: Sidecar['spec']): Sidecar {
  return { ...meshObject('Sidecar', meta), spec };
}

export function virtualService(meta: string | Meta, spec: VirtualService['spec']): VirtualService {
  return { ...meshObject('VirtualService', meta), spec };
}
