import { decodeMessage } from '../../envoy/api/decode.ts';
import type { ElectionState } from '../../kubernetes/election.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { Distribution } from '../push/distribution.ts';
import { debugFormat, type ProxiesAnswer, type ProxyRow, type StatusAnswer } from './answers.ts';
import type { DebugAnswers } from './debug-server.ts';

export interface Answering {
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly notReady: () => string | undefined;
  readonly election: () => ElectionState | undefined;
  readonly distribution: Pick<Distribution, 'connected' | 'fleet' | 'supervisor' | 'tracker'>;
}

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** What `meshd status`, `proxies` and `why` ask for, and who looks for himself. */
export function debugAnswers({ version, startedAt, notReady, distribution, election }: Answering): DebugAnswers {
  const { connected, fleet, supervisor, tracker } = distribution;
  const rows = (): readonly ProxyRow[] => connected.rows(fleet);
  const count = (holds: (row: ProxyRow) => boolean): number => rows().filter(holds).length;
  return {
    '/debug/status': (): StatusAnswer => ({
      ...{ format: debugFormat, version, startedAt, notReady: notReady() },
      ...{ known: fleet.snapshot.proxies.size, connected: fleet.streams.size, waiting: fleet.queue.waiting },
      inStep: count(({ isInStep }) => isInStep),
      faulty: count(({ isFaulty }) => isFaulty),
      frozen: [...fleet.snapshot.proxies.values()].filter(({ isFrozen }) => isFrozen).length,
      ...{ refusedInputs: supervisor.refusedInputs, registry: supervisor.registry, revision: supervisor.revision },
      election: election(),
    }),
    '/debug/syncz': (): ProxiesAnswer => ({ format: debugFormat, proxies: rows() }),
    '/debug/why': (query) => supervisor.why(query.get('proxy') ?? '', query.get('name') ?? undefined),
    '/debug/config_dump': (query) => dumpOf(fleet, query.get('proxy') ?? ''),
    ...(tracker && {
      '/debug/config_distribution': (query: URLSearchParams) => tracker.ofObject(query.get('resource') ?? ''),
    }),
  };
}

/** What changes something. */
export function debugActions({ supervisor }: Pick<Distribution, 'supervisor'>): DebugAnswers {
  return {
    '/debug/forget': async (query) => ({ objects: await supervisor.forget(query.get('kind') ?? '') }),
  };
}

/** What a proxy is to have, as messages. Secrets are not among these types. */
function dumpOf({ snapshot }: Distribution['fleet'], proxy: string): object | undefined {
  const served = snapshot.proxies.get(proxy);
  if (served === undefined) return undefined;
  const listsOf = lists.map((list) => [
    list,
    served.views[list].all.map(({ name, version, body }) => ({
      ...{ name, version },
      resource: decodeMessage(configurationTypes[list].typeUrl.replace('type.googleapis.com/', ''), body),
    })),
  ]);
  return { format: debugFormat, proxy, ...Object.fromEntries(listsOf) };
}
