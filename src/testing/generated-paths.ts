import { stringify } from 'yaml';
import type { Dice } from './dice.ts';
import { peerAuthentication } from './gauged-mesh.ts';
import { generatedAccess } from './generated-access.ts';
import { gatewayLabels, generatedGateway } from './generated-gateways.ts';
import { generatedTokenPolicy } from './generated-tokens.ts';

/**
 * YAML of a mesh whose requests meet several proxies: sidecars of clients, of servers with policies by chance, and a gateway.
 * `keySets` are JSON Web Key Sets of two issuers.
 */
export function generatedPathMesh(dice: Dice, keySets: readonly string[]): string {
  const mode = dice.pick(['STRICT', 'PERMISSIVE', 'PERMISSIVE', 'PERMISSIVE', 'DISABLE']);
  const documents = [
    topology,
    peerAuthentication(mode),
    generatedAccess(dice, undefined, 'wide'),
    ...(dice.chance(60) ? [generatedTokenPolicy(dice, keySets)] : []),
    ...(dice.chance(30) ? [generatedAccess(dice, gatewayLabels).replaceAll('name: p', 'name: q')] : []),
    generatedGateway(dice),
    ...(dice.chance(60) ? [stringify(meshRoutes(dice))] : []),
    ...(dice.chance(50) ? [stringify(destinationRule(dice))] : []),
  ];
  return documents.join('---\n');
}

/** What the clients' sidecars do with requests to the server. */
function meshRoutes(dice: Dice): object {
  const route = [{ destination: { host: 'httpbin', port: { number: 80 } } }];
  const http = [
    ...(dice.chance(50) ? [{ match: [{ uri: { prefix: '/store/' } }], rewrite: { uri: '/n/' }, route }] : []),
    ...(dice.chance(30) ? [{ match: [{ uri: { exact: '/admin' } }], directResponse: { status: 418 } }] : []),
    ...(dice.chance(30) ? [{ match: [{ headers: { 'x-role': { prefix: 'adm' } } }], redirect: { uri: '/new' } }] : []),
    ...(dice.chance(30)
      ? [
          {
            match: [{ uri: { prefix: '/info' } }],
            fault: { abort: { httpStatus: 503, percentage: { value: 100 } } },
            route,
          },
        ]
      : []),
    { ...(dice.chance(40) && { headers: { request: { set: { 'x-team': 'dev' }, remove: ['x-role'] } } }), route },
  ];
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { name: 'routes', namespace: 'foo' },
    spec: { hosts: ['httpbin'], http },
  };
}

/** How the clients' sidecars and the gateway connect. */
function destinationRule(dice: Dice): object {
  const mode = dice.pick(['DISABLE', 'MESH_MUTUAL', 'MESH_MUTUAL']);
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'DestinationRule',
    metadata: { name: 'connections', namespace: 'foo' },
    spec: { host: dice.pick(['httpbin', 'httpbin', 'web']), trafficPolicy: { tls: { mode } } },
  };
}

const namespace = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'mesh-injection': 'enabled' } },
});
const pod = (of: string, name: string, podIP: string, container: object = { name: 'app' }): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: of, labels: { app: name } },
  spec: { serviceAccountName: name, containers: [container] },
  status: { phase: 'Running', podIP },
});
const service = (name: string, clusterIP: string, ports: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'foo' },
  spec: { clusterIP, selector: { app: name }, ports },
});

const topology = [
  namespace('foo'),
  namespace('bar'),
  service('httpbin', '10.96.0.9', [
    { port: 80, name: 'http', targetPort: 8080 },
    { port: 9000, name: 'tcp-x' },
  ]),
  service('web', '10.96.0.10', [{ port: 80, name: 'http' }]),
  service('api', '10.96.0.11', [{ port: 80, name: 'grpc' }]),
  pod('foo', 'httpbin', '10.1.0.1'),
  pod('foo', 'web', '10.1.0.2'),
  pod('foo', 'api', '10.1.0.3'),
  pod('foo', 'sleep', '10.1.0.4'),
  pod('bar', 'sleep', '10.9.1.7'),
  pod('foo', 'edge', '10.1.0.5', { name: 'mesh-proxy', args: ['proxy', 'router'] }),
]
  .map((object) => stringify(object))
  .join('---\n');
