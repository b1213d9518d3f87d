/** Where a workload of a bench is. */
export interface RuledWorkload {
  readonly address: string;
  /** Of its Service; absent: it has none. */
  readonly clusterIP?: string;
  /** Items of the rules of its policy, indented by two spaces. */
  readonly rules: readonly string[];
}

/** The workload `w-<i>` of namespace `shop` with a Service on port 8080 and a policy, as documents of YAML. */
export function ruledWorkload(i: number, { address, clusterIP, rules }: RuledWorkload): string {
  const own = clusterIP === undefined ? '' : `clusterIP: ${clusterIP}, `;
  return `---
apiVersion: v1
kind: Service
metadata: {name: w-${i}, namespace: shop}
spec: {${own}selector: {app: w-${i}}, ports: [{name: http, port: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: w-${i}, namespace: shop, labels: {app: w-${i}, sidecar.mesh.io/inject: "true"}}
spec: {serviceAccountName: w-${i}, containers: [{name: app}]}
status: {podIP: ${address}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: w-${i}, namespace: shop}
spec:
  selector: {matchLabels: {app: w-${i}}}
  rules:
${rules.join('')}`;
}
