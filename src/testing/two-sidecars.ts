const pod = (name: string, address: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${address}}
---
`;

/** The client `foo/curl`, and `foo/web` with HTTP at port 80 and gRPC at port 90 of 10.96.0.1; both have a sidecar. */
export const twoSidecars = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec:
  selector: {app: web}
  clusterIP: 10.96.0.1
  ports: [{name: http, port: 80, targetPort: 8080}, {name: grpc, port: 90, targetPort: 9090}]
---
${pod('web', '10.0.0.1')}${pod('curl', '10.0.0.2')}`;
