import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { FolderMemory } from '../../live/folder-memory.ts';
import type { SourceFile } from '../../source/document.ts';
import type { ObjectFacts } from './cluster/object-facts.ts';
import type { SecretRights } from './cluster/secret-rights.ts';
import type { Position } from './position.ts';

/** The objects of a registry at one moment, as texts, and what kind of objects has changed since the previous batch. */
export interface Batch {
  readonly files: readonly SourceFile[];
  /** A rule about access may be among it: it may take access away. */
  readonly isUrgent: boolean;
  /** Nothing but where services are. */
  readonly isEndpoints: boolean;
  /** Full id of the commit that they are of; absent: they are of none. */
  readonly commit?: string;
  /** Absent: the source does not number its changes. */
  readonly position?: Position | undefined;
}

/** The revision that a registry of git follows, and its commit. */
export interface RegistryRevision {
  /** As the user wrote it. */
  readonly name: string;
  /** Full id of the commit that was read last; undefined: none was. */
  readonly commit: string | undefined;
  /** When that one was made, in milliseconds since 1970. */
  readonly committedAtMs: number | undefined;
  /** Why the commit that the name stands for now cannot be read; undefined: it was. */
  readonly problem: string | undefined;
}

/** How many objects of one kind a registry has read; of a catalog, how many services. */
export interface RegistryFigures {
  readonly kind: string;
  /** Empty for the platform's core group; of a catalog, its name. */
  readonly group: string;
  readonly objects: number;
  /** Number of objects that stay active although the definition of their kind was deleted. */
  readonly held: number;
  /** All objects were known once. */
  readonly hasSynced: boolean;
  /** When the registry was last heard of, in milliseconds since 1970; undefined: never. */
  readonly heardAt: number | undefined;
  /** Why it is not heard of now. */
  readonly problem: string | undefined;
}

/** Told that something differs, and since when nothing more has, as `performance.now()` counts; absent: nobody knows. */
export type OnChange = (quietSinceMs?: number) => void;

/** A source of a mesh's objects: a folder, a git repository or a cluster. */
export interface Registry {
  /** Undefined when nothing differs from the look before, or nothing is known yet. What cannot be read is thrown. */
  look(bag: DiagnosticBag): Promise<Batch | undefined>;
  /** What the last look gave is in force. */
  accept(): void;
  /** Of files: folders that held some when they were last in force. */
  readonly folders: FolderMemory['accepted'];
  /** A row a kind; none where the objects are files. */
  readonly figures: readonly RegistryFigures[];
  /** Absent where there is no history. */
  readonly revision?: RegistryRevision | undefined;
  /** Of objects whose status is written; undefined: none is. */
  readonly facts?: ObjectFacts | undefined;
  /** Which gateways are given which Secrets of their namespace; absent: each those that it names. */
  readonly rights?: SecretRights | undefined;
  /** How far all that it has read is given by `look`; undefined: something is not, or there are no numbers. */
  readonly position?: Position | undefined;
  /** Objects of the kind that stay though the definition of their kind is gone, go; returns how many. */
  forget(kind: string): number;
  /** Tells from now on that something differs from the last look. */
  follow(onChange: OnChange): Promise<void>;
  close(): void;
}
