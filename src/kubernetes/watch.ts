import type { KubernetesApi } from './api.ts';
import { readJsonLines } from './json-lines.ts';
import { ApiRefusal, KubernetesError } from './kubernetes-error.ts';
import { type ApiObject, withQuery } from './resource-type.ts';

export interface WatchHandler {
  /** An object is so now. */
  set(object: ApiObject): void;
  /** An object is gone; it comes as it was last. */
  delete(object: ApiObject): void;
  /** The server spoke, and everything up to this revision has been told. */
  reached(revision: string): void;
}

export interface WatchOptions {
  readonly revision: string;
  readonly signal: AbortSignal;
  readonly accept: string | undefined;
  /** The server ends the watch after so long. */
  readonly durationMs: number;
  /** After so long without a word (bookmarks come once a minute) the connection counts as dead. */
  readonly silenceMs: number;
}

interface WatchEvent {
  readonly type?: unknown;
  readonly object?: ApiObject & { readonly code?: number; readonly reason?: string; readonly message?: string };
}

/** Watches a path until the server ends the watch. An event of an unknown type, or one that can't be parsed, is an error. */
export async function watchOnce(
  api: KubernetesApi,
  path: string,
  handler: WatchHandler,
  options: WatchOptions,
): Promise<void> {
  const { revision, signal, accept, durationMs, silenceMs } = options;
  const query = new URLSearchParams({
    ...{ watch: '1', allowWatchBookmarks: 'true', resourceVersion: revision },
    timeoutSeconds: String(Math.ceil(durationMs / 1_000)),
  });
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const ended = AbortSignal.any([signal, silence.signal]);
    const answer = await api.open({
      path: withQuery(path, query),
      signal: ended,
      ...(accept !== undefined && { accept }),
    });
    for await (const event of readJsonLines(answer)) {
      timer.refresh();
      take(event as WatchEvent, path, handler);
    }
  } catch (error) {
    if (signal.aborted || (!silence.signal.aborted && error instanceof KubernetesError)) throw error;
    const reason = silence.signal.aborted
      ? `the API server said nothing for ${silenceMs / 1_000} seconds`
      : (error as Error).message;
    throw new KubernetesError('api-unreachable', `GET ${path}: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function take({ type, object }: WatchEvent, path: string, handler: WatchHandler): void {
  if (type === 'ERROR') {
    const { code = 0, reason = '', message = '' } = object ?? {};
    throw new ApiRefusal(`GET ${path}`, { status: code, reason, message });
  }
  const revision = object?.metadata?.resourceVersion;
  if (object === undefined || typeof revision !== 'string' || revision === '') {
    throw new KubernetesError('api-answer-unusable', `GET ${path}: an event has no object with a revision`);
  }
  if (type !== 'BOOKMARK' && typeof object.metadata.name !== 'string') {
    throw new KubernetesError('api-answer-unusable', `GET ${path}: the object of an event has no name`);
  }
  if (type === 'ADDED' || type === 'MODIFIED') handler.set(object);
  else if (type === 'DELETED') handler.delete(object);
  else if (type !== 'BOOKMARK') {
    throw new KubernetesError(
      'api-answer-unusable',
      `GET ${path}: an event has the unknown type ${JSON.stringify(type)}`,
    );
  }
  handler.reached(revision);
}
