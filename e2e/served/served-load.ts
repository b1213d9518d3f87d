import { authorizationPolicy, peerAuthentication, pod, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';
import { formatCounts, type LoadCounts, type LoadFailure, total } from '../load/counts.ts';
import { type LoadOptions, type RunningLoad, startLoad } from '../load/load.ts';
import {
  applicationPort,
  byAddress,
  byName,
  direct,
  loadMesh,
  loadTopology,
  meshed,
  ownTls,
  startApplications,
} from '../load/load-mesh.ts';
import type { LoadTls } from '../load/order.ts';
import type { ProxyManner } from './served-fleet.ts';
import { createServedMesh, type ServedMesh } from './served-mesh.ts';

/** How the proxies of the mesh under load get their configuration: a client's sidecar and a server's in each manner. */
const mannerOf: Readonly<Record<string, ProxyManner>> = {
  client: { via: 'agent', form: 'delta' },
  'client-1': { via: 'direct', form: 'delta' },
  'client-2': { via: 'direct', form: 'state of the world' },
  'server-0': { via: 'agent', form: 'delta' },
  'server-1': { via: 'direct', form: 'delta' },
  'server-2': { via: 'direct', form: 'state of the world' },
};

/** Beside the one of every mesh under load. */
const clients = [1, 2].map((index) => pod({ namespace: 'foo', name: `client-${index}`, index: 13 + index }));

export const servers = 3;

/** Refused by both policies. */
const closedPath = '/private/x';
/** What the second policy refuses, and the first one does not. */
const secondClosedPath = '/second/x';

/** Which of the two policies of {@link judges}. */
export type Judge = 'first' | 'second';

/** A change reaches all proxies, and connections drain, in seconds; a busy machine takes ten times as long. */
const patienceMs = 60_000;

const sources = [{ source: { namespaces: ['foo', 'legacy'] } }];
const policy = (name: string, action: string, rule: object): object =>
  authorizationPolicy({ namespace: 'foo', name, app: 'server', action, rules: [rule] });

/**
 * Two ways to judge the load, by different objects in one file. Each allows `/` and refuses `/private/x`; between them
 * there is nothing that allows both or refuses both.
 */
export const judges: Readonly<Record<Judge, Readonly<Record<string, string>>>> = {
  first: {
    'judge.yaml': topologyText([
      peerAuthentication({ namespace: 'foo', mode: 'STRICT' }),
      policy('callers', 'ALLOW', { from: sources }),
      policy('private', 'DENY', { to: [{ operation: { paths: ['/private*'] } }] }),
    ]),
  },
  second: {
    'judge.yaml': topologyText([
      peerAuthentication({ namespace: 'foo', mode: 'PERMISSIVE' }),
      policy('public', 'ALLOW', { from: sources, to: [{ operation: { notPaths: ['/private*', '/second*'] } }] }),
    ]),
  },
};

/** What became of the requests of all callers. */
export interface ServedCounts {
  readonly requests: number;
  /** The first of those that were answered otherwise than both policies say, or not at all. */
  readonly failures: readonly string[];
  /** For people. */
  readonly text: string;
}

/** A mesh under load whose proxies are clients of two replicas of `meshd`. */
export interface ServedLoad {
  readonly mesh: ServedMesh;
  /** Runs `work` while all call; `callOnly` says which servers those call that go by addresses. */
  during(work: (callOnly: (...servers: readonly number[]) => Promise<void>) => Promise<void>): Promise<ServedCounts>;
  /** The policy that the server behind the service's name judges by now. */
  judge(): Promise<Judge>;
  /** Returns when it judges by this one: an open connection keeps the old policy until Envoy has drained it. */
  untilJudgedBy(judge: Judge): Promise<void>;
  close(): Promise<void>;
}

/** Starts the control planes, the mesh and the applications; the first policy is in force. */
export async function openServedLoad(env: Readonly<Record<string, string>> = {}): Promise<ServedLoad> {
  const { env: planeEnv, ...options } = loadMesh(servers);
  const mesh = await createServedMesh({
    ...options,
    topology: { 'topology.yaml': loadTopology(servers, 0), 'clients.yaml': topologyText(clients) },
    policies: judges.first,
    ...{ env, planeEnv },
    replicas: 2,
    mannerOf: ({ name }) => mannerOf[name] as ProxyManner,
  });
  const { testbed } = mesh;
  try {
    await startApplications(testbed.sandbox, servers);
  } catch (error) {
    await mesh.close();
    throw error;
  }
  return {
    mesh,
    during: async (work) => {
      const loads = await startAll(testbed);
      const directly = [...loads].filter(([title]) => title.startsWith('directly')).map(([, load]) => load);
      await work(async (...called) => {
        const targets = called.map(byAddress);
        await Promise.all(directly.map((load) => load.moveTo(targets)));
      });
      return countsOf(await Promise.all([...loads].map(async ([title, load]) => [title, await load.stop()] as const)));
    },
    judge: () => judgeOf(testbed),
    untilJudgedBy: async (judge) => {
      const isJudge = async (): Promise<true | undefined> => ((await judgeOf(testbed)) === judge ? true : undefined);
      const otherwise = async (): Promise<string> => `the ${judge} policy does not judge`;
      await until(isJudge, { timeoutMs: patienceMs, everyMs: 50, otherwise });
    },
    close: () => mesh.close(),
  };
}

async function judgeOf(testbed: Testbed): Promise<Judge> {
  // What a request may take is measured by the load beside it: here a busy machine has its time.
  const request = { from: 'foo/client', to: 'server.foo', port: applicationPort, path: secondClosedPath };
  const { status, exitCode } = await testbed.request({ ...request, maxTimeSeconds: 60 });
  if (status !== '200' && status !== '403') throw new Error(`judged with ${status}, exit ${exitCode} of curl`);
  return status === '200' ? 'first' : 'second';
}

/** What each load does, for people, and its order. */
const orders = (tls: LoadTls): Readonly<Record<string, LoadOptions>> => {
  const all = Array.from({ length: servers }, (_, index) => byAddress(index));
  const through = { network: meshed, targets: [byName], perSecond: 5 };
  const directly = { network: direct, targets: all, perSecond: 5, tls };
  const refused = { path: closedPath, status: 403, lines: 0 };
  return {
    'through a sidecar': through,
    'through a direct Envoy, incremental': { ...through, network: `${meshed}-1` },
    'through a direct Envoy, state of the world': { ...through, network: `${meshed}-2` },
    'through a sidecar, to be refused': { ...through, ...refused, name: 'through-refused' },
    directly,
    'directly, to be refused': { ...directly, ...refused, name: 'directly-refused' },
  };
};

/** Starts all; by what they do. */
async function startAll({ sandbox, ca }: Testbed): Promise<ReadonlyMap<string, RunningLoad>> {
  const started = Object.entries(orders(await ownTls(ca))).map(
    async ([title, order]) => [title, await startLoad(sandbox, order)] as const,
  );
  return new Map(await Promise.all(started));
}

function countsOf(counts: readonly (readonly [title: string, LoadCounts])[]): ServedCounts {
  return {
    requests: counts.reduce((sum, [, one]) => sum + total(one).requests, 0),
    failures: counts.flatMap(([title, { failures }]) => failures.map((failure) => `${title}: ${textOf(failure)}`)),
    text: counts.map(([title, one]) => formatCounts(title, one)).join(''),
  };
}

function textOf({ at, manner, target, reason }: LoadFailure): string {
  return `${new Date(at).toISOString()} ${manner} ${target}: ${reason}`;
}
