import type { KubernetesApi } from './api.ts';
import { isExpired, KubernetesError } from './kubernetes-error.ts';
import { type ApiObject, withQuery } from './resource-type.ts';

/** All objects of a list at one moment. */
export interface Listed {
  readonly objects: readonly ApiObject[];
  /** From which a watch goes on. */
  readonly revision: string;
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly ApiObject[] | null;
}

const pageSize = 500;
/** A server that always names a next page would fill the memory. */
const mostPages = 4_000;
const deadlineMs = 60_000;

/**
 * Lists everything below a path, page by page, as etcd has it now (no `resourceVersion`: the cache of another API server may
 * be older than what was seen before). If the server no longer has the revision between two pages, it lists everything in one
 * page. A list without an end or a revision is an error, never a shorter list.
 */
export async function listAll(api: KubernetesApi, path: string, signal: AbortSignal, accept?: string): Promise<Listed> {
  try {
    return await listPages(api, path, { signal, accept, limit: pageSize });
  } catch (error) {
    if (!isExpired(error)) throw error;
    return listPages(api, path, { signal, accept, limit: 0 });
  }
}

interface ListOptions {
  readonly signal: AbortSignal;
  readonly accept: string | undefined;
  readonly limit: number;
}

async function listPages(api: KubernetesApi, path: string, { signal, accept, limit }: ListOptions): Promise<Listed> {
  const objects: ApiObject[] = [];
  let next = '';
  for (let page = 0; page < mostPages && !signal.aborted; page++) {
    const query = new URLSearchParams({
      ...(limit > 0 && { limit: String(limit) }),
      ...(next !== '' && { continue: next }),
    });
    const asked = { path: withQuery(path, query), signal, deadlineMs, ...(accept !== undefined && { accept }) };
    const { metadata, items } = await api.ask<Page>(asked);
    const revision = metadata?.resourceVersion ?? '';
    if (revision === '' || !(items === null || Array.isArray(items))) {
      throw new KubernetesError('api-answer-unusable', `GET ${path}: the answer is not a list with a revision`);
    }
    for (const item of items ?? []) objects.push(checked(item, path));
    next = metadata?.continue ?? '';
    if (next === '') return { objects, revision };
  }
  if (signal.aborted) throw signal.reason;
  throw new KubernetesError('api-answer-unusable', `GET ${path}: the list has no end after ${mostPages} pages`);
}

function checked(item: ApiObject | undefined, path: string): ApiObject {
  if (typeof item?.metadata?.name === 'string') return item;
  throw new KubernetesError('api-answer-unusable', `GET ${path}: an object of the list has no name`);
}
