import type { DecidingField } from '../../../contracts/origins-file.ts';
import { sortedBy } from '../../../lib/sort.ts';
import { type CoverageGroup, type CoveragePlace, coverageSides } from './place.ts';

interface Counted {
  readonly seen: Record<string, number>;
  readonly side: string;
}

/** Counts how often each side of a field was seen. A field of a file counts once, in however many meshes it is in force. */
export class CoverageTally {
  readonly #places = new Map<string, CoveragePlace & { readonly seen: Record<string, number> }>();
  #trial: Counted[] | undefined;

  /** Counts one side of a field as seen; without a side only adds the field. */
  count(group: CoverageGroup, field: DecidingField, side?: string, value?: string): void {
    const key = JSON.stringify([group, field.file, field.kind, field.namespace, field.name, field.field]);
    let place = this.#places.get(key);
    if (place === undefined) {
      const seen = Object.fromEntries(coverageSides[group].map((one) => [one, 0]));
      place = { ...field, group, ...(value !== undefined && { value }), seen };
      this.#places.set(key, place);
    }
    if (side === undefined) return;
    place.seen[side] = (place.seen[side] ?? 0) + 1;
    this.#trial?.push({ seen: place.seen, side });
  }

  /** Counts what `run` shows, and forgets it again if it gives false. */
  attempt(run: () => boolean): boolean {
    const counted: Counted[] = [];
    this.#trial = counted;
    const isKept = run();
    this.#trial = undefined;
    if (!isKept) for (const { seen, side } of counted) seen[side] = (seen[side] ?? 0) - 1;
    return isKept;
  }

  /** By file, line and column. */
  get places(): readonly CoveragePlace[] {
    return sortedBy(
      this.#places.values(),
      ({ file }) => file,
      ({ line = 0 }) => line,
      ({ column = 0 }) => column,
      ({ group }) => group,
      ({ field }) => field,
    );
  }
}

/** The states of tokens are those of a whole object, not of one of its issuers. */
export function ofWhole(field: DecidingField): DecidingField {
  return { ...field, field: '' };
}

/** A mode of mutual TLS: of a workload, a namespace, the mesh or a port. */
export function isScope({ kind }: DecidingField): boolean {
  return kind === 'PeerAuthentication';
}

/** A route of HTTP, and not the hosts or the gateway that it is for. */
export function isRoute({ field }: DecidingField): boolean {
  return /^spec\.(?:http|rules)\[\d+\]$/.test(field);
}
