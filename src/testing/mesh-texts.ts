/** YAML of one workload, `a/httpbin`, whose service has an HTTP port. */
export const httpbinMesh = `apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: a}
spec: {clusterIP: 10.96.0.9, selector: {app: httpbin}, ports: [{port: 80, name: http, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: a, labels: {app: httpbin}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.9}
`;

/** YAML of one client, `a/web`, without a service. */
export const webMesh = `apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a, labels: {app: web}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.9}
`;
