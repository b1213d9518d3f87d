import {
  type DecidingField,
  type FragmentFields,
  noOrigins,
  type OriginsFile,
  readOriginsFile,
} from '../../src/contracts/origins-file.ts';
import { Fragment } from '../../src/envoy/api/fragment.ts';
import type { CurlAnswer } from '../../src/testbed/curl.ts';
import type { Sidecar } from '../../src/testbed/sidecar.ts';
import type { Testbed, TestbedRequest } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';

/** An answer, and what on the way decided it. */
export interface Verdict {
  readonly answer: CurlAnswer;
  /** What the server's Envoy said: its filter chain, or that none matched; undefined when the server has none. */
  readonly evidence: string | undefined;
  /** Policies behind that chain and behind the client's cluster; empty when built-in defaults decided. */
  readonly decidedBy: readonly DecidingField[];
  readonly overrode: readonly DecidingField[];
}

/** Kinds that decide; topology objects are origins too, but no policy. */
const policyKinds = new Set(['PeerAuthentication', 'DestinationRule']);

/**
 * Makes a request and finds out from the Envoys themselves what decided it: the server's listener log names the filter
 * chain, or its counter of unmatched connections moved; origins.json beside the configuration says who made that chain.
 * `server` is the pod behind `request.to`, by `namespace/name`. One call at a time.
 */
export async function findVerdict(testbed: Testbed, request: TestbedRequest, server: string): Promise<Verdict> {
  const hasSidecar = (key: string): boolean =>
    testbed.pods.some(({ namespace, name, hasSidecar }) => hasSidecar && `${namespace}/${name}` === key);
  const sidecar = hasSidecar(server) ? testbed.sidecar(server) : undefined;
  const client = hasSidecar(request.from) ? testbed.sidecar(request.from) : undefined;
  const { answer, seen } = await observed(testbed, request, sidecar);
  const origins = [
    ...(sidecar === undefined ? [] : await chainOrigins(sidecar, seen, request.port ?? 8000)),
    ...(client === undefined ? [] : await clusterOrigins(client, request)),
  ];
  return {
    answer,
    evidence: seen === undefined ? undefined : (seen.chain ?? 'no filter chain matched'),
    decidedBy: policies(origins.flatMap(({ decidedBy }) => decidedBy)),
    overrode: policies(origins.flatMap(({ overrode }) => overrode)),
  };
}

/** The chain that took the connection; none when it was closed for want of one. */
interface Seen {
  readonly chain: string | undefined;
}

/**
 * A listener logs refused connections alone, and all where its runtime says so; it logs a connection when it closes, and
 * a client's sidecar keeps its connections. An Envoy whose health
 * check fails asks for the connection to be closed with its next answer; reopening the logs writes them out at once.
 */
async function observed(
  testbed: Testbed,
  request: TestbedRequest,
  sidecar: Sidecar | undefined,
): Promise<{ answer: CurlAnswer; seen?: Seen }> {
  if (sidecar === undefined) return { answer: await testbed.request(request) };
  const unmatched = '^listener\\..*_15006\\.no_filter_chain_match$';
  const before = await sidecar.counter(unmatched);
  const start = (await sidecar.output()).length;
  await sidecar.admin('POST', '/runtime_modify?mesh.log_every_connection=100');
  await sidecar.admin('POST', '/healthcheck/fail');
  const answer = await testbed.request(request).finally(() => sidecar.admin('POST', '/healthcheck/ok'));
  if ((await sidecar.counter(unmatched)) > before) return { answer, seen: { chain: undefined } };
  await sidecar.admin('POST', '/reopen_logs');
  const chain = await until(async () => loggedChain((await sidecar.output()).slice(start)), {
    timeoutMs: 5_000,
    otherwise: async () => `the listener of ${sidecar.pod.network} logged no connection`,
  });
  return { answer, seen: { chain } };
}

/** The filter chain of the last inbound connection in a piece of output. */
function loggedChain(output: string): string | undefined {
  const chains = [...output.matchAll(/^\{.*"filter_chain":"(inbound-[^"]*|virtualInbound[^"]*)".*\}$/gm)];
  return chains.at(-1)?.[1];
}

/** Origins of the chain that was hit; of every chain of the port when none was, for together they left the gap. */
async function chainOrigins(sidecar: Sidecar, seen: Seen | undefined, port: number): Promise<FragmentFields[]> {
  const text = await sidecar.configFile('listeners.json');
  const listeners = new Fragment(text === undefined ? undefined : JSON.parse(text)).at('resources').items;
  const inbound = listeners.find((listener) => listener.at('name').text === 'virtualInbound');
  const chains = inbound?.at('filter_chains').items ?? [];
  const hit = chains.flatMap((chain, i) => {
    const isHit =
      seen?.chain === undefined
        ? chain.at('filter_chain_match', 'destination_port').number === port
        : chain.at('name').text === seen.chain;
    return isHit ? [`filter_chains[${i}]`] : [];
  });
  const fragments = (await originsOf(sidecar)).listeners.virtualInbound ?? [];
  return fragments.filter(({ path }) => hit.some((prefix) => path === prefix || path.startsWith(`${prefix}.`)));
}

/**
 * Origins of the cluster that the client's sidecar sends the request to. Without a destination rule it follows the
 * server's own policy, so only the rules say something new.
 */
async function clusterOrigins(sidecar: Sidecar, { to, port = 8000 }: TestbedRequest): Promise<FragmentFields[]> {
  const clusters = Object.entries((await originsOf(sidecar)).clusters);
  const isRule = ({ kind }: DecidingField): boolean => kind === 'DestinationRule';
  return clusters
    .filter(([name]) => name.startsWith(`outbound|${port}||${to}.`) || name === `outbound|${port}||${to}`)
    .flatMap(([, fragments]) => fragments)
    .map(({ path, decidedBy, overrode }) => ({
      path,
      decidedBy: decidedBy.filter(isRule),
      overrode: overrode.filter(isRule),
    }));
}

async function originsOf(sidecar: Sidecar): Promise<OriginsFile> {
  const text = await sidecar.configFile('origins.json');
  return text === undefined ? noOrigins : readOriginsFile(text);
}

/** Each policy field once, in the order of first mention. */
function policies(fields: readonly DecidingField[]): DecidingField[] {
  const known = new Map(
    fields
      .filter(({ kind }) => policyKinds.has(kind))
      .map((field) => [`${field.file}:${field.line}:${field.kind}`, field]),
  );
  return [...known.values()];
}
