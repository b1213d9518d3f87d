/** One text of several objects, each of which ends with a line break. */
export const objects = (...texts: readonly string[]): string => texts.join('---\n');

/** The namespace foo, whose pods have sidecars. */
export const namespace = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
`;

/** The workload of all agents here, ready at this address; its application listens on port 8000. */
export const httpbinPod = (ip = '127.0.0.1'): string => `apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app, ports: [{containerPort: 8000}]}]}
status: {podIP: ${ip}, conditions: [{type: Ready, status: "True"}]}
`;

/** The same as a Deployment without pods, of which nobody knows an address. */
export const httpbinDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: httpbin, namespace: foo}
spec: {template: {metadata: {labels: {app: httpbin}}, spec: {serviceAccountName: httpbin, containers: [{name: app}]}}}
`;

/** Its service on port 8000. */
export const httpbinService = (clusterIP = '10.1.0.10'): string => `apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec: {clusterIP: ${clusterIP}, selector: {app: httpbin}, ports: [{name: http, port: 8000}]}
`;

/** The workload without a service. */
export const podMesh = (ip?: string): string => objects(namespace, httpbinPod(ip));

/** The workload behind its service. */
export const serviceMesh = objects(namespace, httpbinService(), httpbinPod());

/** How all workloads of foo take connections; the mode stands on line 4. */
export const peerMode = (mode: string): string => `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: foo}
spec: {mtls: {mode: ${mode}}}
`;

/** Denies a path of all workloads of foo; its action stands on line 4. */
export const denyPath = (path: string, name = 'p'): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: foo}
spec: {action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}
`;
