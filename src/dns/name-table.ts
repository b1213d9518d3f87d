import { answerFromZone } from './answer-from-zone.ts';
import type { MeshNames } from './mesh-names.ts';
import type { Query } from './message.ts';
import { recordType } from './message-writer.ts';
import type { Zone } from './zone.ts';

/** Names of the mesh that this process knows itself. */
export interface NameTable {
  readonly zone: Zone;
  /** Of the workload: of several services with one name, its own namespace's is meant. */
  readonly namespace: string;
}

/** What a name outside of the mesh's suffixes is answered for; for other records the system's servers know it. */
const addressTypes: ReadonlySet<number> = new Set([recordType.A, recordType.AAAA]);

/** The answer from the table; undefined: somebody else has to be asked. */
export function answerFromTable({ zone, namespace }: NameTable, query: Query, names: MeshNames): Buffer | undefined {
  const found = zone.find(query.labels, namespace);
  if (found.type === 'foreign') return undefined;
  if (!names.has(query.labels)) {
    if (!addressTypes.has(query.type)) return undefined;
    // A ServiceEntry without an address at the moment takes no name out of public DNS.
    const name = found.type === 'known' ? found.name : undefined;
    if (name?.target === undefined && !name?.addresses.length) return undefined;
  }
  return answerFromZone(zone, query, namespace);
}
