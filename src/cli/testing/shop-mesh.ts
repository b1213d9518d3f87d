/** A namespace whose workloads have proxies, and one of them behind a service. */
export const topology = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec:
  clusterIP: 10.0.0.1
  selector: {app: cart}
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.1, conditions: [{type: Ready, status: "True"}]}
`;
/** Another workload of the namespace. */
export const secondPod = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.2, conditions: [{type: Ready, status: "True"}]}
`;

/** Of the namespace. */
export const strict = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec:
  mtls:
    mode: STRICT
`;
