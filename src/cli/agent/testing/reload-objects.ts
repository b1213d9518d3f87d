/** The workload httpbin of namespace foo with its service. */
export const reloadTopology = `
apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec:
  clusterIP: 10.1.0.10
  selector: {app: httpbin}
  ports: [{name: http, port: 8000}]
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app, ports: [{containerPort: 8000}]}]}
status: {podIP: 127.0.0.1, conditions: [{type: Ready, status: "True"}]}
`;

/** A policy of all workloads of foo; its action stands on line 5. */
export function denyPath(name: string, path: string): string {
  return `
apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: foo}
spec: {action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}
`;
}
