import { type LiftedProxy, liftProxy } from '../access/lift-proxy.ts';
import { createCompiler } from '../compiler/compile.ts';
import { createLocator, originsJson } from '../compiler/render/origins-json.ts';
import type { Resource } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import type { Settings } from '../config/settings.ts';
import type { MeshFile } from '../contracts/mesh-file.ts';
import type { OriginsFile } from '../contracts/origins-file.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { GaugeCase } from '../gauge/gauge-case.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { GaugedWorkload } from '../testbed/gauge/envoy-config.ts';
import type { Dice } from './dice.ts';
import { generatedAccess, type Variety } from './generated-access.ts';
import {
  gatewayLabels,
  generatedGateway,
  generatedGatewayConnection,
  generatedGatewayRequest,
} from './generated-gateways.ts';
import { generatedConnection, generatedRequest } from './generated-requests.ts';
import { generatedTokenPolicy, type TokenBox, withToken } from './generated-tokens.ts';

/** A workload with its own policies, compiled and lifted. */
export interface GaugedMesh extends GaugedWorkload {
  readonly proxy: LiftedProxy;
  /** What was compiled, for the report of a mismatch. */
  readonly text: string;
  /** Its part that is not the topology, and what it was compiled with. */
  readonly policies: string;
  readonly settings: Partial<Settings>;
  readonly mesh: MeshFile;
  /** Who decided what, with lines of `text`. */
  readonly origins: () => OriginsFile;
}

const levels: readonly Settings['pathNormalization'][] = ['NONE', 'BASE', 'MERGE_SLASHES', 'DECODE_AND_MERGE_SLASHES'];

/** Compiles these policies for the workload `foo/httpbin` at this address; throws where they have errors. */
export async function compileGauged(
  address: string,
  policies: string,
  settings: Partial<Settings> = {},
  role: GaugedMesh['role'] = 'sidecar',
): Promise<GaugedMesh> {
  const text = `${role === 'gateway' ? gatewayTopology(address) : topology(address)}---\n${policies}`;
  const compiler = createCompiler({ settings: { ...defaultSettings, accessLogFile: '', ...settings } });
  const bag = new DiagnosticBag();
  const objects = compiler.read([{ path: 'mesh.yaml', text }], bag);
  const keySets = await createKeySetGatherer().gather(objects, bag);
  const name = role === 'gateway' ? 'edge' : 'httpbin';
  const compilation = compiler.compileObjects(objects, [{ namespace: 'foo', name }], bag, keySets);
  const config = compilation?.configs[0];
  if (compilation === undefined || config === undefined)
    throw new Error(`not compiled: ${bag.all.map(({ message }) => message).join('; ')}\n${text}`);
  const json = (all: readonly Resource[]): readonly Resource['json'][] => all.map((one) => one.json);
  const parts = {
    bootstrap: config.bootstrap.json,
    listeners: json(config.listeners),
    clusters: json(config.clusters),
    routes: json(config.routes),
  };
  const { mesh } = compilation;
  const origins = (): OriginsFile => originsJson(config, createLocator([{ path: 'mesh.yaml', text }]));
  return { address, role, config: parts, proxy: liftProxy(parts), text, policies, settings, mesh, origins };
}

/** A workload with policies by chance. */
export function generatedMesh(
  dice: Dice,
  address: string,
  keySets: TokenBox['keySets'],
  variety: Variety = 'usual',
): Promise<GaugedMesh> {
  const mode = dice.pick(['STRICT', ...Array.from({ length: 7 }, () => 'PERMISSIVE'), 'DISABLE']);
  const documents = [
    peerAuthentication(mode),
    ...(variety === 'wide' && dice.chance(20) ? [portModes(dice)] : []),
    generatedAccess(dice, undefined, variety),
    ...(dice.chance(75) ? [generatedTokenPolicy(dice, keySets)] : []),
  ];
  return compileGauged(address, documents.join('---\n'), { pathNormalization: dice.pick(levels) });
}

/** A gateway with routes and policies by chance. */
export function generatedGatewayMesh(dice: Dice, address: string, keySets: TokenBox['keySets']): Promise<GaugedMesh> {
  const access = dice.chance(35) ? `---\n${generatedAccess(dice, gatewayLabels, 'wide')}` : '';
  const tokens = dice.chance(40) ? `---\n${generatedTokenPolicy(dice, keySets, gatewayLabels)}` : '';
  const settings = { pathNormalization: dice.pick(levels) };
  return compileGauged(address, `${generatedGateway(dice)}${access}${tokens}`, settings, 'gateway');
}

/** Requests on a few connections to one workload. */
export function generatedCases(
  dice: Dice,
  { address, role }: GaugedMesh,
  tokens: TokenBox['tokens'],
  count: number,
): readonly GaugeCase[] {
  const isGateway = role === 'gateway';
  const generate = isGateway ? generatedGatewayConnection : generatedConnection;
  const connections = Array.from({ length: Math.ceil(count / (isGateway ? 12 : 25)) }, () => generate(dice, address));
  return Array.from({ length: count }, () => {
    const connection = dice.pick(connections);
    const plain = generatedRequest(dice);
    const request = isGateway ? generatedGatewayRequest(dice, plain, connection) : plain;
    return { connection, request: dice.chance(70) ? withToken(dice, request, dice.pick(tokens)) : request };
  });
}

export function peerAuthentication(mode: string): string {
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: foo}
spec: {mtls: {mode: ${mode}}}
`;
}

/** Modes of single ports. */
function portModes(dice: Dice): string {
  const mode = (): string => dice.pick(['STRICT', 'PERMISSIVE', 'PERMISSIVE', 'PERMISSIVE', 'DISABLE']);
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: ports, namespace: foo}
spec: {selector: {matchLabels: {app: httpbin}}, portLevelMtls: {8080: {mode: ${mode()}}, 9000: {mode: ${mode()}}}}
`;
}

function topology(address: string): string {
  return `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec:
  clusterIP: 10.96.0.9
  selector: {app: httpbin}
  ports: [{port: 80, name: http, targetPort: 8080}, {port: 9000, name: tcp-x}]
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app}]}
status: {phase: Running, podIP: ${address}}
`;
}

function gatewayTopology(address: string): string {
  const service = (name: string, index: number): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: foo}
spec: {clusterIP: 10.96.0.${index}, selector: {app: ${name}}, ports: [{port: 80, name: http}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {phase: Running, podIP: 10.200.0.${index}}
---
`;
  return `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
${service('web', 1)}${service('api', 2)}apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: foo, labels: {app: edge}}
spec: {serviceAccountName: edge, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: ${address}}
`;
}
