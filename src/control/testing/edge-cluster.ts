import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../testing/kubernetes/definitions.ts';
import { defineGatewayApi } from '../../testing/kubernetes/gateway-api.ts';
import { runPod } from '../../testing/kubernetes/run-pod.ts';
import { makeSampleMesh } from './cluster-mesh.ts';

/** Of the Gateway API. */
export const standardGroup = 'gateway.networking.k8s.io';
export const classesPath = `/apis/${standardGroup}/v1/gatewayclasses`;

/** Where objects of the namespace `foo` are. */
export function standardPath(resource: string, version = 'v1'): string {
  return `/apis/${standardGroup}/${version}/namespaces/foo/${resource}`;
}

/** An object of the Gateway API without a namespace. */
export function standardObject(kind: string, name: string, spec: object, version = 'v1') {
  return { apiVersion: `${standardGroup}/${version}`, kind, metadata: { name }, spec };
}

/** A cluster with the sample mesh, and in its namespace `foo` the Gateway `edge` of the class `edges`, whose pod runs. */
export async function startEdgeCluster(listeners: readonly object[]): Promise<Cluster> {
  const cluster = await startCluster({ controllers: ['endpoints-controller'] });
  await defineAll(cluster);
  await defineGatewayApi(cluster);
  await makeSampleMesh(cluster);
  await applyInstallation(cluster, ['namespace', 'rights']);
  const { api } = cluster;
  await api.must('POST', '/api/v1/namespaces/foo/serviceaccounts', { metadata: { name: 'edge' } });
  await runPod(api, {
    metadata: { name: 'edge', namespace: 'foo', labels: { [`${standardGroup}/gateway-name`]: 'edge' } },
    spec: { serviceAccountName: 'edge', containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }] },
    status: { phase: 'Running', podIP: '10.1.0.2', podIPs: [{ ip: '10.1.0.2' }] },
  });
  const controllerName = 'mesh.io/gateway-controller';
  await api.must('POST', classesPath, standardObject('GatewayClass', 'edges', { controllerName }));
  const edge = standardObject('Gateway', 'edge', { gatewayClassName: 'edges', listeners });
  await api.must('POST', standardPath('gateways'), edge);
  return cluster;
}
