import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import { syncName } from './conversation.ts';

/** The lists of which single names are asked for; of the others, all. */
export type NamedList = 'endpoints' | 'routes';

/** Names that Envoy asks for, over all streams to the control plane. */
export class WantedNames {
  readonly sets: Readonly<Record<NamedList, Set<string>>> = { endpoints: new Set(), routes: new Set() };

  /** Gives those that were not wanted before. */
  add(list: ConfigurationList, names: readonly string[]): readonly string[] {
    if (!isNamed(list)) return [];
    const fresh = names.filter((name) => !this.sets[list].has(name));
    for (const name of fresh) this.sets[list].add(name);
    return fresh;
  }

  /** Gives those that the control plane is to be told of: what stands for all names stays. */
  drop(list: ConfigurationList, names: readonly string[]): readonly string[] {
    if (!isNamed(list)) return [];
    const gone = names.filter((name) => name !== syncName && name !== '*');
    for (const name of gone) this.sets[list].delete(name);
    return gone;
  }
}

function isNamed(list: ConfigurationList): list is NamedList {
  return list === 'endpoints' || list === 'routes';
}
