import { expect, test } from 'vitest';
import { run } from '../cli/testing/run-meshpol.ts';

const pod = (name: string, address: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}, {name: mesh-proxy, args: [proxy, sidecar]}]}
status: {podIP: ${address}}
---
`;
const mesh = `${pod('cart', '10.1.0.2')}${pod('web', '10.1.0.3')}apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec:
  clusterIP: 10.96.0.1
  selector: {app: cart}
  ports: [{name: http, port: 80, targetPort: 8080}, {name: https, port: 443, targetPort: 8443}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: api, namespace: shop}
spec:
  hosts: [api.example.com]
  location: MESH_EXTERNAL
  resolution: NONE
  ports: [{number: 443, name: tls, protocol: TLS}]
`;

test.each([
  ['api.example.com --sni api.example.com', /^reaches 198\.18\.0\.2:443\n/, 1],
  ['api.example.com --sni other.example.com', /^reaches 198\.18\.0\.2:443\n/, 1],
  ['cart:443 --sni cart', /^reaches shop\/cart\n/, 2],
  ['cart:80 --sni cart', /^000 the connection is closed: .* curl exits with 35\n/, 2],
])("a workload's own TLS to %s goes the way that is predicted", async (words, verdict, proxies) => {
  const { out } = await run(`explain - --from shop/web --to ${words} --prove`, mesh);
  expect(out).toMatch(verdict);
  expect(out.match(/: as predicted: /g)).toHaveLength(proxies);
});
