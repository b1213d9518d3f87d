import type { SourceFile } from '../src/source/document.ts';

export interface MeshSize {
  readonly services: number;
  /** Pods, spread over the services in turn. */
  readonly workloads: number;
  readonly namespaces: number;
}

/** YAML of a mesh whose size is given: every service has HTTP, gRPC and TCP ports, every tenth a DestinationRule. */
export function generateMesh({ services, workloads, namespaces }: MeshSize): readonly SourceFile[] {
  const files: SourceFile[] = [];
  for (let n = 0; n < namespaces; n += 1) files.push({ path: `ns-${n}.yaml`, text: namespace(n) });
  for (let s = 0; s < services; s += 1) files.push({ path: `service-${s}.yaml`, text: service(s, s % namespaces) });
  for (let w = 0; w < workloads; w += 1) files.push({ path: `pod-${w}.yaml`, text: pod(w, w % services, namespaces) });
  for (let s = 0; s < services; s += 10) files.push({ path: `rule-${s}.yaml`, text: rule(s, s % namespaces) });
  return files;
}

/** PeerAuthentication and DestinationRule documents as people write them, about 300 bytes each. */
export function generatePolicies(count: number): SourceFile {
  const documents = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? peer(i) : rule(i, i % 20)));
  return { path: 'policies.yaml', text: documents.join('---\n') };
}

/** A workload-level policy for one pod. */
export function workloadPolicy(workload: number, size: MeshSize, mode: string): SourceFile {
  const s = workload % size.services;
  return {
    path: 'changed.yaml',
    text: `apiVersion: security.mesh.io/v1beta1
kind: PeerAuthentication
metadata:
  name: changed
  namespace: ns-${s % size.namespaces}
spec:
  selector:
    matchLabels:
      pod: p-${workload}
  mtls:
    mode: ${mode}
`,
  };
}

function namespace(n: number): string {
  return `apiVersion: v1
kind: Namespace
metadata:
  name: ns-${n}
  labels:
    mesh-injection: enabled
`;
}

function service(s: number, n: number): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: svc-${s}
  namespace: ns-${n}
spec:
  clusterIP: 10.${96 + (s >> 16)}.${(s >> 8) & 255}.${s & 255}
  selector:
    app: svc-${s}
  ports:
  - name: http
    port: 8000
    targetPort: 8080
  - name: grpc
    port: 9000
  - name: tcp-data
    port: ${7000 + (s % 10)}
`;
}

function pod(w: number, s: number, namespaces: number): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: p-${w}
  namespace: ns-${s % namespaces}
  labels:
    app: svc-${s}
    pod: p-${w}
    version: v${w % 3}
spec:
  serviceAccountName: sa-${s}
  containers:
  - name: app
  - name: mesh-proxy
status:
  phase: Running
  podIP: 10.${128 + (w >> 16)}.${(w >> 8) & 255}.${w & 255}
  conditions:
  - type: Ready
    status: "True"
`;
}

function rule(s: number, n: number): string {
  return `apiVersion: networking.mesh.io/v1alpha3
kind: DestinationRule
metadata:
  name: rule-${s}
  namespace: ns-${n}
spec:
  host: svc-${s}.ns-${n}.svc.cluster.local
  trafficPolicy:
    connectionPool:
      tcp:
        maxConnections: 100
    outlierDetection:
      consecutive5xxErrors: 5
  subsets:
  - name: v1
    labels:
      version: v1
`;
}

function peer(i: number): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: PeerAuthentication
metadata:
  name: peer-${i}
  namespace: ns-${i % 20}
spec:
  selector:
    matchLabels:
      app: svc-${i}
  mtls:
    mode: STRICT
  portLevelMtls:
    8080:
      mode: PERMISSIVE
`;
}
