import { expect } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import { runPod } from '../../testing/kubernetes/run-pod.ts';

/** A namespace `foo` in the mesh, with a service `httpbin` and a ready pod of it; returns once the endpoint is recorded. */
export async function makeSampleMesh(cluster: Cluster): Promise<void> {
  const { api } = cluster;
  const labels = { 'mesh-injection': 'enabled' };
  await api.must('POST', '/api/v1/namespaces', { metadata: { name: 'foo', labels } });
  await api.must('POST', '/api/v1/namespaces/foo/serviceaccounts', { metadata: { name: 'httpbin' } });
  const ports = [{ name: 'http', port: 8000 }];
  const service = { metadata: { name: 'httpbin' }, spec: { selector: { app: 'httpbin' }, ports } };
  await api.must('POST', '/api/v1/namespaces/foo/services', service);
  await makePod(cluster, 'httpbin', '10.1.0.1');
  // Until its controller has recorded the pod.
  const path = '/api/v1/namespaces/foo/endpoints/httpbin';
  await eventually(async () => expect((await api.ask('GET', path)).body.subsets).toHaveLength(1));
}

/** A ready pod of the service. */
export async function makePod({ api }: Cluster, name: string, podIP: string): Promise<void> {
  const metadata = { name, namespace: 'foo', labels: { app: 'httpbin' } };
  const spec = { serviceAccountName: 'httpbin', containers: [{ name: 'app', ports: [{ containerPort: 8000 }] }] };
  const conditions = [{ type: 'Ready', status: 'True' }];
  await runPod(api, { metadata, spec, status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions } });
}
