const policies = `
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: readers, namespace: foo}
spec:
  selector: {matchLabels: {app: httpbin}}
  action: ALLOW
  rules:
  - from: [{source: {principals: [cluster.local/ns/foo/sa/sleep], namespaces: [foo]}}]
    to: [{operation: {methods: [GET], paths: ["/api/*"], ports: ["8080"], hosts: [httpbin]}}]
    when: [{key: source.ip, values: [10.0.0.0/8]}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata:
  name: no-admin
  namespace: foo
spec:
  action: DENY
  rules:
  - to:
    - operation:
        paths: ["/admin"]
`;

/** One small `meshpol lint`, of the policies that there are most of: every rule looks at them. */
export async function warmUp({ runLint }) {
  const stdin = [Buffer.from(policies)];
  const io = { stdin, environment: {}, writeOut: async () => {}, writeError: async () => {} };
  const inputs = ['examples/first-mesh/topology.yaml', 'examples/first-mesh/policies/namespace-strict.yaml', '-'];
  await runLint(inputs, { config: false, maxDiagnostics: 50, severity: 'info' }, io);
}
