import { stringify } from 'yaml';
import type { SourceFile } from '../source/document.ts';

/** A workload of the fixed mesh, as an oracle sees it; ports are container ports that some service targets. */
export interface MeshPod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hasSidecar: boolean;
  readonly ports: readonly number[];
}

/** A service of the fixed mesh, as an oracle sees it. */
export interface MeshHost {
  readonly namespace: string;
  readonly host: string;
  readonly kind: 'cluster' | 'headless' | 'external' | 'external-passthrough';
  /** Service ports without UDP. */
  readonly ports: readonly number[];
  /** True when every endpoint has a sidecar and there is one. */
  readonly isMesh: boolean;
}

export const rootNamespace = 'mesh-system';

export const pods: readonly MeshPod[] = [
  { namespace: 'a', name: 'curl', labels: { app: 'curl', 'mesh-locality': 'eu' }, hasSidecar: true, ports: [] },
  { namespace: 'a', name: 'web-1', labels: { app: 'web', version: 'v1' }, hasSidecar: true, ports: [8080, 9000, 9100] },
  { namespace: 'a', name: 'web-2', labels: { app: 'web', version: 'v2' }, hasSidecar: true, ports: [8080, 9000, 9100] },
  { namespace: 'b', name: 'api', labels: { app: 'api', version: 'v1' }, hasSidecar: true, ports: [8080, 8443] },
  { namespace: 'b', name: 'db', labels: { app: 'db' }, hasSidecar: true, ports: [5432] },
  { namespace: 'b', name: 'mixed', labels: { app: 'mixed', version: 'v2' }, hasSidecar: false, ports: [8000] },
  { namespace: 'c', name: 'curl', labels: { app: 'curl', version: 'v1' }, hasSidecar: true, ports: [] },
  { namespace: 'plain', name: 'legacy', labels: { app: 'legacy' }, hasSidecar: false, ports: [8000] },
];

const inCluster = (name: string, namespace: string, ports: number[], isMesh = true): MeshHost => ({
  namespace,
  host: `${name}.${namespace}.svc.cluster.local`,
  kind: name === 'db' ? 'headless' : 'cluster',
  ports,
  isMesh,
});

export const hosts: readonly MeshHost[] = [
  inCluster('web', 'a', [80, 9000, 9100]),
  inCluster('api', 'b', [80, 8443]),
  inCluster('db', 'b', [5432]),
  inCluster('mixed', 'b', [8000], false),
  inCluster('legacy', 'plain', [8000], false),
  { namespace: 'a', host: 'api.example.com', kind: 'external', ports: [80, 443], isMesh: false },
  { namespace: 'a', host: '*.wild.example.com', kind: 'external-passthrough', ports: [443], isMesh: false },
];

/** Namespaces with and without sidecars; HTTP, gRPC, TCP, TLS, UDP and detected ports; headless and external services. */
export function meshTopology(): SourceFile {
  const objects = [
    ...['a', 'b', 'c', 'plain'].map(namespaceObject),
    ...pods.map(podObject),
    serviceObject('web', 'a', [port(80, 'http', 8080), port(9000, 'tcp-echo'), port(9100, 'detected')]),
    serviceObject('api', 'b', [port(80, 'grpc', 8080), port(8443, 'https'), { ...port(53, 'dns'), protocol: 'UDP' }]),
    serviceObject('db', 'b', [port(5432, 'tcp')]),
    serviceObject('mixed', 'b', [port(8000, 'http')]),
    serviceObject('legacy', 'plain', [port(8000, 'http')]),
    serviceEntry('one', 'api.example.com', 'DNS', [
      { number: 80, name: 'http', protocol: 'HTTP' },
      { number: 443, name: 'tls', protocol: 'TLS' },
    ]),
    serviceEntry('many', '*.wild.example.com', 'NONE', [{ number: 443, name: 'tls', protocol: 'TLS' }]),
  ];
  return { path: 'mesh.yaml', text: objects.map((object) => stringify(object)).join('---\n') };
}

function namespaceObject(name: string) {
  const labels = name === 'plain' ? {} : { 'mesh-injection': 'enabled' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function podObject({ namespace, name, labels, hasSidecar }: MeshPod, index: number) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations: hasSidecar ? {} : { 'sidecar.mesh.io/inject': 'false' } },
    spec: { serviceAccountName: name, containers: [{ name: 'app' }] },
    status: { phase: 'Running', podIP: `10.1.0.${index + 1}`, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function serviceObject(name: string, namespace: string, ports: object[]) {
  const index = hosts.findIndex(({ host }) => host.startsWith(`${name}.${namespace}.`));
  const clusterIP = name === 'db' ? 'None' : `10.96.0.${index + 1}`;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { clusterIP, selector: { app: name }, ports },
  };
}

function port(number: number, name: string, targetPort = number) {
  return { port: number, name, targetPort };
}

function serviceEntry(name: string, host: string, resolution: string, ports: object[]) {
  return {
    apiVersion: 'networking.mesh.io/v1alpha3',
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'a' },
    spec: { hosts: [host], location: 'MESH_EXTERNAL', resolution, ports },
  };
}
