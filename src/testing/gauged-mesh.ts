import { everyWay, type Possibility } from '../access/evaluate/choices.ts';
import { inboundListener } from '../access/evaluate/find-listener.ts';
import { serve } from '../access/evaluate/serve.ts';
import { type LiftedProxy, liftProxy } from '../access/lift-proxy.ts';
import type { Outcome, Passage } from '../access/outcome.ts';
import type { HttpRequest } from '../access/request.ts';
import type { Signatures } from '../access/signatures.ts';
import { createCompiler } from '../compiler/compile.ts';
import type { Resource } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { GaugedWorkload } from '../testbed/gauge/envoy-config.ts';
import type { GaugeAnswer, GaugeCase } from '../testbed/gauge/job.ts';
import type { Dice } from './dice.ts';
import { generatedAccess } from './generated-access.ts';
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
  const config = compiler.compileObjects(objects, [{ namespace: 'foo', name }], bag, keySets)?.configs[0];
  if (config === undefined)
    throw new Error(`not compiled: ${bag.all.map(({ message }) => message).join('; ')}\n${text}`);
  const json = (all: readonly Resource[]): readonly Resource['json'][] => all.map((one) => one.json);
  const parts = {
    bootstrap: config.bootstrap.json,
    listeners: json(config.listeners),
    clusters: json(config.clusters),
    routes: json(config.routes),
  };
  return { address, role, config: parts, proxy: liftProxy(parts), text };
}

/** A workload with policies by chance. */
export function generatedMesh(dice: Dice, address: string, keySets: TokenBox['keySets']): Promise<GaugedMesh> {
  const mode = dice.pick(['STRICT', 'PERMISSIVE', 'PERMISSIVE', 'DISABLE']);
  const tokens = dice.chance(75) ? `---\n${generatedTokenPolicy(dice, keySets)}` : '';
  const policies = `${peerAuthentication(mode)}---\n${generatedAccess(dice)}${tokens}`;
  return compileGauged(address, policies, { pathNormalization: dice.pick(levels) });
}

/** A gateway with routes and policies by chance. */
export function generatedGatewayMesh(dice: Dice, address: string, keySets: TokenBox['keySets']): Promise<GaugedMesh> {
  const access = dice.chance(50) ? `---\n${generatedAccess(dice, gatewayLabels)}` : '';
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
    return { connection, request: dice.chance(55) ? withToken(dice, request, dice.pick(tokens)) : request };
  });
}

export type Prediction = readonly Possibility<Passage>[];

/** What the evaluator says of a case; `opening` is what was sent first on its connection. */
export function predict(
  { proxy, role }: GaugedMesh,
  { connection, request }: GaugeCase,
  opening: GaugeCase['request'],
  signatures: Signatures,
): Prediction {
  const listener =
    role === 'gateway' ? inboundListener(proxy, connection.destination) : proxy.listeners.get('virtualInbound');
  if (listener === undefined) return [{ result: { outcome: refusedConnection, steps: [] }, because: [] }];
  const tokens = { now: Date.now() / 1000, signatures };
  return everyWay((choose) => serve(listener, connection, request, { routes: proxy.routes, tokens, choose }, opening));
}

const refusedConnection: Outcome = { kind: 'closed', exitCodes: [7], details: 'nothing listens there' };

/** How the client sees the end of its connection if curl could exit with this code alone. */
const endings: Readonly<Record<number, readonly string[]>> = {
  7: ['ECONNREFUSED'],
  52: ['end'],
  56: ['reset', 'EPIPE'],
};

/** What the evaluator and Envoy see differently, in one line; undefined where they agree on outcome, reason and chain. */
export function mismatch(prediction: Prediction, answer: GaugeAnswer): string | undefined {
  if (prediction.some(({ result }) => differences(result, answer).length === 0)) return undefined;
  const told = prediction.map(({ result, because }) => ({
    ...result.outcome,
    because,
    differs: differences(result, answer),
  }));
  return `predicted ${JSON.stringify(told)}, Envoy: ${JSON.stringify(answer)}`;
}

/** Names of what differs. */
function differences({ outcome, steps }: Passage, answer: GaugeAnswer): readonly string[] {
  const decider = (station: string): string => steps.find((step) => step.station === station)?.decider ?? '';
  const { status, details } = answer;
  const facts: Record<string, boolean> = { chain: answer.chain === '' || answer.chain === decider('chain') };
  switch (outcome.kind) {
    case 'answered':
      facts.status = status === outcome.status;
      facts.grpcStatus = answer.grpcStatus === outcome.grpcStatus;
      facts.details = codecDetails(details) === codecDetails(outcome.details);
      break;
    case 'reaches':
      facts.cluster = outcome.clusters.includes(answer.cluster);
      facts.route = outcome.request === undefined || answer.route === decider('route');
      // A TCP proxy has no word for what the application answers.
      facts.details = details === 'via_upstream' || details === '';
      if (outcome.request === undefined || answer.sawPath === undefined) break;
      facts.path = answer.sawPath === outcome.request.path;
      facts.host = answer.sawHost === outcome.request.authority;
      Object.assign(facts, headersSeen(outcome.request, answer.saw ?? {}));
      break;
    case 'closed':
      facts.status = status === 0;
      if (outcome.exitCodes.length === 1) {
        facts.ending = endings[outcome.exitCodes[0] ?? 0]?.includes(answer.ending ?? '') === true;
      }
      facts.details = details.startsWith('rbac') ? details === outcome.details : !outcome.details.startsWith('rbac');
      break;
    case 'reset':
      facts.status = status === 0 || details === outcome.details;
      break;
    case 'unmodelled':
      facts.modelled = false;
  }
  return Object.keys(facts).filter((name) => facts[name] === false);
}

/** By header, whether the application saw what was predicted. */
function headersSeen(
  { headers, opaque = [] }: HttpRequest,
  saw: NonNullable<GaugeAnswer['saw']>,
): Record<string, boolean> {
  const entries = Object.entries(saw).map(([name, text]) => {
    const lines = headers.filter(([key]) => key === name).map(([, value]) => value);
    // The echo tells the first line, and Envoy leaves out a header that would be empty.
    const expected = lines[0] || '-';
    return [`header ${name}`, opaque.includes(name) || expected === text] as const;
  });
  return Object.fromEntries(entries);
}

/** Which of two words Envoy has for a request that its codec refuses depends on what other connections sent before. */
export function codecDetails(details: string): string {
  return details === 'http1.invalid_characters' ? 'http1.codec_error' : details;
}

export function peerAuthentication(mode: string): string {
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: foo}
spec: {mtls: {mode: ${mode}}}
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
