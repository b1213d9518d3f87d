/** What the value of an annotation may be. */
export type AnnotationType =
  | 'boolean'
  | 'cidrs'
  | 'cidrs-or-all'
  | 'host-and-port'
  | 'interfaces'
  | 'json-mounts'
  | 'json-volumes'
  | 'level'
  | 'levels'
  | 'mode'
  | 'port'
  | 'ports'
  | 'ports-or-all'
  | 'proxy-config'
  | 'quantity'
  | 'seconds'
  | 'text'
  | 'unsupported'
  | 'words';

/** Annotations of a pod that say how its proxy is injected, by our names; Istio's names mean the same. */
export const injectionAnnotations = {
  'inject.mesh.io/templates': 'words',
  'prometheus.mesh.io/merge-metrics': 'boolean',
  'proxy.mesh.io/config': 'proxy-config',
  'readiness.status.sidecar.mesh.io/failureThreshold': 'seconds',
  'readiness.status.sidecar.mesh.io/initialDelaySeconds': 'seconds',
  'readiness.status.sidecar.mesh.io/periodSeconds': 'seconds',
  'sidecar.mesh.io/agentLogLevel': 'levels',
  'sidecar.mesh.io/componentLogLevel': 'levels',
  'sidecar.mesh.io/discoveryAddress': 'host-and-port',
  'sidecar.mesh.io/interceptionMode': 'mode',
  'sidecar.mesh.io/logLevel': 'level',
  'sidecar.mesh.io/nativeSidecar': 'boolean',
  'sidecar.mesh.io/proxyCPU': 'quantity',
  'sidecar.mesh.io/proxyCPULimit': 'quantity',
  'sidecar.mesh.io/proxyImage': 'text',
  'sidecar.mesh.io/proxyMemory': 'quantity',
  'sidecar.mesh.io/proxyMemoryLimit': 'quantity',
  'sidecar.mesh.io/rewriteAppHTTPProbers': 'boolean',
  'sidecar.mesh.io/userVolume': 'json-volumes',
  'sidecar.mesh.io/userVolumeMount': 'json-mounts',
  'status.sidecar.mesh.io/port': 'port',
  'traffic.sidecar.mesh.io/excludeInboundPorts': 'ports',
  'traffic.sidecar.mesh.io/excludeInterfaces': 'unsupported',
  'traffic.sidecar.mesh.io/excludeOutboundIPRanges': 'cidrs',
  'traffic.sidecar.mesh.io/excludeOutboundPorts': 'ports',
  'traffic.sidecar.mesh.io/includeInboundPorts': 'ports-or-all',
  'traffic.sidecar.mesh.io/includeOutboundIPRanges': 'cidrs-or-all',
  'traffic.sidecar.mesh.io/includeOutboundPorts': 'ports',
  'traffic.sidecar.mesh.io/kubevirtInterfaces': 'interfaces',
} as const satisfies Readonly<Record<string, AnnotationType>>;

export type InjectionAnnotation = keyof typeof injectionAnnotations;
