/** The workloads httpbin, behind its service on port 8000, and sleep, of the namespace foo; ends so that another object can follow. */
export const httpbinMesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec: {selector: {app: httpbin}, clusterIP: 10.96.0.1, ports: [{name: http, port: 8000, targetPort: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: sleep, namespace: foo, labels: {app: sleep}}
spec: {serviceAccountName: sleep, containers: [{name: app}]}
status: {podIP: 10.0.0.2}
---
`;
