import type { ListIds, PlainHalf, PlainList, PlainProxy, PlainSnapshot } from '../push/plain-snapshot.ts';

/** A proxy with the lists of its halves. */
export type ProxyOfLists = Omit<PlainProxy, 'shared' | 'own'> & { readonly shared: ListIds; readonly own: ListIds };

/** The first snapshot of a compile thread: these proxies, and no others. */
export function plainMesh(lists: readonly PlainList[], proxies: readonly ProxyOfLists[]): PlainSnapshot {
  const halves: PlainHalf[] = [];
  const numberOf = (ids: ListIds): number => {
    const id = halves.length;
    halves.push({ id, lists: ids });
    return id;
  };
  const plain = proxies.map((proxy) => ({ ...proxy, shared: numberOf(proxy.shared), own: numberOf(proxy.own) }));
  return { lists, halves, goneHalves: [], proxies: plain, gone: [] };
}
