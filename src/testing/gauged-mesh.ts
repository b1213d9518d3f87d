import { serve } from '../access/evaluate/serve.ts';
import { type LiftedProxy, liftProxy } from '../access/lift-proxy.ts';
import type { Outcome } from '../access/outcome.ts';
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
import { generatedConnection, generatedRequest } from './generated-requests.ts';
import { generatedTokenPolicy, type SignedToken } from './generated-tokens.ts';

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
): Promise<GaugedMesh> {
  const text = `${topology(address)}---\n${policies}`;
  const compiler = createCompiler({ settings: { ...defaultSettings, accessLogFile: '', ...settings } });
  const bag = new DiagnosticBag();
  const objects = compiler.read([{ path: 'mesh.yaml', text }], bag);
  const keySets = await createKeySetGatherer().gather(objects, bag);
  const config = compiler.compileObjects(objects, [{ namespace: 'foo', name: 'httpbin' }], bag, keySets)?.configs[0];
  if (config === undefined)
    throw new Error(`not compiled: ${bag.all.map(({ message }) => message).join('; ')}\n${text}`);
  const json = (all: readonly Resource[]): readonly Resource['json'][] => all.map((one) => one.json);
  const parts = {
    bootstrap: config.bootstrap.json,
    listeners: json(config.listeners),
    clusters: json(config.clusters),
    routes: json(config.routes),
  };
  return { address, config: parts, proxy: liftProxy(parts), text };
}

/** A workload with policies by chance. */
export function generatedMesh(dice: Dice, address: string, keySet: string): Promise<GaugedMesh> {
  const mode = dice.pick(['STRICT', 'PERMISSIVE', 'PERMISSIVE', 'DISABLE']);
  const tokens = dice.chance(50) ? `---\n${generatedTokenPolicy(dice, keySet)}` : '';
  const policies = `${peerAuthentication(mode)}---\n${generatedAccess(dice)}${tokens}`;
  return compileGauged(address, policies, { pathNormalization: dice.pick(levels) });
}

/** Requests on a few connections to one workload. */
export function generatedCases(
  dice: Dice,
  { address }: GaugedMesh,
  tokens: readonly SignedToken[],
  count: number,
): readonly GaugeCase[] {
  const connections = Array.from({ length: Math.ceil(count / 25) }, () => generatedConnection(dice, address));
  return Array.from({ length: count }, () => {
    const sent = { connection: dice.pick(connections), request: generatedRequest(dice) };
    return dice.chance(35) ? withToken(sent, dice.pick(tokens)) : sent;
  });
}

function withToken({ connection, request }: GaugeCase, { claims, text }: SignedToken): GaugeCase {
  const headers = [...request.headers, ['authorization', `Bearer ${text}`] as const];
  return { connection, request: { ...request, headers }, claims };
}

/** What the evaluator says of a case, and in which chain; `opening` is what was sent first on its connection. */
export function predict(
  { proxy }: GaugedMesh,
  { connection, request, claims }: GaugeCase,
  opening: GaugeCase['request'],
) {
  const listener = proxy.listeners.get('virtualInbound');
  if (listener === undefined) throw new Error('the workload has no inbound listener');
  const { outcome, steps } = serve(
    listener,
    connection,
    request,
    { routes: proxy.routes, tokens: { now: Date.now() / 1000, claims } },
    opening,
  );
  return { outcome, chain: steps.find(({ station }) => station === 'chain')?.decider ?? '' };
}

/** What the evaluator and Envoy see differently, in one line; undefined where they agree on outcome, reason and chain. */
export function mismatch(
  { outcome, chain }: { readonly outcome: Outcome; readonly chain: string },
  answer: GaugeAnswer,
): string | undefined {
  const agrees = agreesOn(outcome, answer) && (answer.chain === '' || answer.chain === chain);
  return agrees ? undefined : `predicted ${JSON.stringify({ ...outcome, chain })}, Envoy: ${JSON.stringify(answer)}`;
}

function agreesOn(outcome: Outcome, { status, details, cluster }: GaugeAnswer): boolean {
  switch (outcome.kind) {
    case 'answered':
      return status === outcome.status && codecDetails(details) === codecDetails(outcome.details);
    case 'reaches':
      // A TCP proxy has no word for what the application answers.
      return outcome.clusters.includes(cluster) && (details === 'via_upstream' || details === '');
    case 'closed':
      return (
        status === 0 &&
        (!details.startsWith('rbac') ? !outcome.details.startsWith('rbac') : details === outcome.details)
      );
    case 'unmodelled':
      return false;
  }
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
