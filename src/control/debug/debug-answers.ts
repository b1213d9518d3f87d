import type { ElectionState } from '../../kubernetes/election.ts';
import type { Distribution } from '../push/distribution.ts';
import { debugFormat, type ProxiesAnswer, type ProxyRow, type StatusAnswer } from './answers.ts';
import type { DebugAnswers } from './debug-server.ts';
import { dumpOf } from './dump.ts';

export interface Answering {
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly notReady: () => string | undefined;
  readonly election: () => ElectionState | undefined;
  readonly distribution: Pick<Distribution, 'acknowledged' | 'connected' | 'fleet' | 'supervisor' | 'tracker'>;
}

/** Answers of the debug requests, by path. */
export function debugAnswers({ version, startedAt, notReady, distribution, election }: Answering): DebugAnswers {
  const { acknowledged, connected, fleet, supervisor, tracker } = distribution;
  const proxyOf = (query: URLSearchParams): string => query.get('proxy') ?? '';
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
      ...{ missing: supervisor.missing, election: election() },
    }),
    '/debug/syncz': (): ProxiesAnswer => ({ format: debugFormat, proxies: rows() }),
    '/debug/why': (query) => supervisor.why(proxyOf(query), query.get('name') ?? undefined),
    '/debug/config_dump': (query) => {
      const served = fleet.snapshot.proxies.get(proxyOf(query));
      return served && dumpOf(proxyOf(query), served);
    },
    ...(acknowledged && { '/debug/adsz': (query: URLSearchParams) => acknowledged.of(proxyOf(query)) }),
    ...(tracker && {
      '/debug/config_distribution': (query: URLSearchParams) => tracker.ofObject(query.get('resource') ?? ''),
    }),
  };
}

/** Debug requests that change something, by path. */
export function debugActions({ supervisor }: Pick<Distribution, 'supervisor'>): DebugAnswers {
  return {
    '/debug/forget': async (query) => ({ objects: await supervisor.forget(query.get('kind') ?? '') }),
  };
}
