import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { Fleet } from '../push/fleet.ts';
import { listOf, refusedNames } from '../push/held-back.ts';
import { proxyKey } from '../push/mesh-snapshot.ts';
import type { ProxyStream } from '../push/proxy-stream.ts';
import type { StreamWatcher, WatchedStream } from '../push/stream-watcher.ts';
import type { ProxyRow, TypeAtProxy } from './answers.ts';

interface Connected {
  readonly connectedAt: number;
  /** Digests of what the client has acknowledged. */
  readonly acknowledged: Acknowledged;
}

type Acknowledged = Partial<Record<ConfigurationList, string>>;

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** Who is connected, since when, and what it has acknowledged: a digest a type. */
export class ConnectedProxies implements StreamWatcher {
  readonly #streams = new Map<WatchedStream, Connected>();

  opened(stream: WatchedStream): void {
    this.#streams.set(stream, { connectedAt: Date.now(), acknowledged: {} });
  }

  complete(stream: WatchedStream, typeUrl: string): void {
    const [list, view] = [listOf(typeUrl), stream.sourceOf(typeUrl)?.view];
    const acknowledged = this.#streams.get(stream)?.acknowledged;
    if (acknowledged !== undefined && list !== undefined && view !== undefined) acknowledged[list] = view.version;
  }

  closed(stream: WatchedStream): void {
    this.#streams.delete(stream);
  }

  /** One row for each stream, sorted by proxy. */
  rows(fleet: Fleet): readonly ProxyRow[] {
    return [...fleet.streams].map((stream) => this.#rowOf(stream, fleet)).sort((a, b) => (a.proxy < b.proxy ? -1 : 1));
  }

  #rowOf(stream: ProxyStream, fleet: Fleet): ProxyRow {
    const { owner } = stream;
    const proxy = proxyKey(owner.proxy);
    const { connectedAt, acknowledged }: Connected = this.#streams.get(stream) ?? { connectedAt: 0, acknowledged: {} };
    const served = fleet.servedTo(stream);
    const types: Partial<Record<ConfigurationList, TypeAtProxy>> = {};
    for (const list of lists) {
      // Not what it has been sent: a change may wait for its turn.
      const view = served?.[list] ?? stream.sourceOf(configurationTypes[list].typeUrl)?.view;
      if (view === undefined) continue;
      types[list] = { resources: view.size, current: view.version, acknowledged: acknowledged[list] };
    }
    const { refused, message, isFaulty } = fleet.recordOf(stream);
    return {
      ...{ proxy, identity: owner.identity, envoyVersion: owner.envoyVersion, connectedAt, types },
      // Of what it does not ask for it acknowledges nothing.
      isInStep:
        Object.keys(acknowledged).length > 0 &&
        Object.values(types).every((it) => it.acknowledged === undefined || it.acknowledged === it.current),
      ...{ refused: refusedNames(refused), message, isFaulty },
      isFrozen: fleet.snapshot.proxies.get(proxy)?.isFrozen === true,
    };
  }
}
