import type { ClusterIR, EndpointIR } from '../compiler/ir/cluster.ts';
import type { UpstreamExternalTls, UpstreamMeshTls } from '../compiler/ir/tls.ts';
import { byDefault } from './ir.ts';

/** Mesh TLS to the service account `a/web`. */
export function upstreamTls(tls: Partial<UpstreamMeshTls> = {}): UpstreamMeshTls {
  return {
    kind: 'mesh',
    sni: 'outbound_.8000_._.web.a.svc.cluster.local',
    alpn: ['mesh'],
    serverSans: [{ kind: 'exact', value: 'spiffe://cluster.local/ns/a/sa/web' }],
    ...tls,
  };
}

/** TLS to `api.example.com`, checked against the operating system's bundle. */
export function externalTls(tls: Partial<UpstreamExternalTls> = {}): UpstreamExternalTls {
  return {
    kind: 'external',
    sni: 'api.example.com',
    autoSni: false,
    autoSanValidation: false,
    alpn: [],
    serverSans: ['api.example.com'],
    clientCertificate: undefined,
    trustedCa: 'system',
    crl: undefined,
    ...tls,
  };
}

/** An endpoint without a sidecar. */
export function endpointIR(address: string, port: number, endpoint: Partial<EndpointIR> = {}): EndpointIR {
  return { address, port, hasSidecar: false, weight: undefined, workload: undefined, ...endpoint };
}

/** A STATIC cluster with `endpoints` in one locality; without endpoints when none are given. */
export function clusterIR(
  name: string,
  cluster: Partial<ClusterIR> = {},
  ...endpoints: readonly EndpointIR[]
): ClusterIR {
  return {
    name,
    altStatName: name.replaceAll('.', '_'),
    type: 'static',
    connectTimeoutMs: 10_000,
    loadBalancing: { policy: 'least-request' },
    endpoints:
      endpoints.length === 0
        ? undefined
        : {
            clusterName: name,
            localities: [{ region: '', zone: '', subZone: '', priority: 0, weight: undefined, endpoints }],
          },
    transport: { kind: 'plaintext', origins: byDefault },
    http: {
      protocol: 'http1',
      maxConcurrentStreams: undefined,
      idleTimeoutMs: undefined,
      maxRequestsPerConnection: undefined,
      http10: false,
    },
    circuitBreakers: undefined,
    outlierDetection: undefined,
    healthyPanicPercent: undefined,
    localityWeighted: false,
    keepalive: undefined,
    dns: undefined,
    bindAddresses: [],
    maxConnectionDurationMs: undefined,
    tcpIdleTimeoutMs: undefined,
    origins: byDefault,
    ...cluster,
  };
}

/** A cluster that goes where the connection wanted to go. */
export function originalDstIR(name: string, cluster: Partial<ClusterIR> = {}): ClusterIR {
  return clusterIR(name, { type: 'original-dst', loadBalancing: { policy: 'cluster-provided' }, ...cluster });
}
