import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import { listOf } from '../push/held-back.ts';
import { proxyKey } from '../push/mesh-snapshot.ts';
import type { StreamWatcher, WatchedStream } from '../push/stream-watcher.ts';
import { debugFormat } from './answers.ts';
import { resourcesOf } from './dump.ts';

type Views = Partial<Record<ConfigurationList, ResourceView>>;

/**
 * The whole configuration that each stream has acknowledged last (PILOT_DEBUG_ADSZ_CONFIG). It keeps what proxies have
 * after it was replaced, so that memory grows with the number of versions that are in use.
 */
export class AcknowledgedConfiguration implements StreamWatcher {
  readonly #streams = new Map<WatchedStream, Views>();

  opened(stream: WatchedStream): void {
    this.#streams.set(stream, {});
  }

  complete(stream: WatchedStream, typeUrl: string): void {
    const [views, list, view] = [this.#streams.get(stream), listOf(typeUrl), stream.sourceOf(typeUrl)?.view];
    if (views !== undefined && list !== undefined && view !== undefined) views[list] = view;
  }

  closed(stream: WatchedStream): void {
    this.#streams.delete(stream);
  }

  /** Of each stream of the proxy (`<namespace>/<name>`); undefined: there is none. */
  of(proxy: string): object | undefined {
    const streams = [...this.#streams].filter(([{ owner }]) => proxyKey(owner.proxy) === proxy);
    if (streams.length === 0) return undefined;
    return { format: debugFormat, proxy, streams: streams.map(([, views]) => resourcesOf(views)) };
  }
}
