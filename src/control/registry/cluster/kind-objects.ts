import type { ReflectorSink } from '../../../kubernetes/reflector.ts';
import type { ApiObject } from '../../../kubernetes/resource-type.ts';
import type { SourceFile } from '../../../source/document.ts';
import type { FollowedKind } from './kinds.ts';
import type { ObjectFacts } from './object-facts.ts';
import { textOf } from './projection.ts';

export interface KindObjectsOptions {
  readonly kind: FollowedKind;
  /** What was in force before this `meshd` ran; it stays until a whole list is there. */
  readonly known: readonly SourceFile[];
  /** Of a kind whose definition may be deleted: whether objects that are gone were deleted by somebody's wish. */
  readonly deletions?: DeletionJudge;
  /** Kept of objects whose status is written. */
  readonly facts?: ObjectFacts | undefined;
  readonly onChange: () => void;
}

/** Decides whether deleted objects of a custom kind stay active. */
export interface DeletionJudge {
  /**
   * Resolves with those that were deleted, each by itself; the others went with the definition of their kind. It asks the
   * server until it answers; undefined when it is closed before.
   */
  judge(gone: readonly SourceFile[]): Promise<ReadonlySet<SourceFile> | undefined>;
}

/** Holds the objects of one kind in a cluster, or in one of its namespaces, as files. */
export class KindObjects implements ReflectorSink {
  readonly #options: KindObjectsOptions;
  readonly #files: Map<string, SourceFile>;
  /** Of a definition that is gone: they stay until somebody says that they may go. */
  readonly #held = new Set<string>();
  readonly #gone = new Map<string, SourceFile>();
  #changedAt = 0;
  #judging = false;

  constructor(options: KindObjectsOptions) {
    this.#options = options;
    this.#files = new Map(options.known.map((file) => [file.path, file]));
  }

  get files(): Iterable<SourceFile> {
    return this.#files.values();
  }

  get count(): number {
    return this.#files.size;
  }

  /** Number of objects that stay active although the definition of their kind was deleted. */
  get heldCount(): number {
    return this.#held.size;
  }

  /** Revision of the last change; 0: there was none. Not a number where the server gives revisions that have no order. */
  get changedAt(): number {
    return this.#changedAt;
  }

  replace(objects: readonly ApiObject[], revision: string): void {
    const now = new Set<string>();
    for (const object of objects) now.add(this.#put(object));
    // A server that was restored counts from an earlier revision on.
    this.#changedAt = Math.max(0, ...objects.map(({ metadata }) => revisionNumber(metadata.resourceVersion)));
    for (const [path, file] of this.#files) {
      if (now.has(path)) continue;
      this.#options.facts?.delete(path);
      this.#remove(path, file);
      this.#changedAt = revisionNumber(revision);
    }
    this.#judge();
  }

  set(object: ApiObject): void {
    this.#put(object);
  }

  delete({ metadata }: ApiObject): void {
    const path = this.#pathOf(metadata.namespace, metadata.name);
    const file = this.#files.get(path);
    this.#options.facts?.delete(path);
    if (file !== undefined) {
      this.#remove(path, file);
      this.#changedAt = revisionNumber(metadata.resourceVersion);
    }
    this.#judge();
  }

  unserved(): void {
    for (const path of this.#files.keys()) {
      this.#options.facts?.delete(path);
      this.#held.add(path);
    }
    if (this.#held.size > 0) this.#options.onChange();
  }

  /** What was held goes; returns how many those were. */
  forget(): number {
    const { size } = this.#held;
    for (const path of this.#held) this.#files.delete(path);
    this.#held.clear();
    if (size > 0) this.#options.onChange();
    return size;
  }

  #put(object: ApiObject): string {
    const path = this.#pathOf(object.metadata.namespace, object.metadata.name);
    const text = textOf(object, this.#options.kind.type);
    this.#held.delete(path);
    this.#gone.delete(path);
    const before = this.#files.get(path);
    // What is not read may differ: heartbeats, the fields of servers, our own status.
    const isSame = before?.text === text;
    const file: SourceFile = isSame ? before : { path, text, isSizeChecked: true };
    this.#options.facts?.put(file, this.#options.kind.type, object);
    if (isSame) return path;
    this.#files.set(path, file);
    this.#changedAt = revisionNumber(object.metadata.resourceVersion);
    this.#options.onChange();
    return path;
  }

  #remove(path: string, file: SourceFile): void {
    if (this.#held.has(path)) return;
    if (this.#options.deletions !== undefined) {
      this.#gone.set(path, file);
      return;
    }
    this.#files.delete(path);
    this.#options.onChange();
  }

  /** One question at a time; what goes meanwhile is asked about next. */
  #judge(): void {
    const { deletions } = this.#options;
    if (deletions === undefined || this.#judging || this.#gone.size === 0) return;
    this.#judging = true;
    const asked = new Map(this.#gone);
    void deletions.judge([...asked.values()]).then((deleted) => {
      this.#judging = false;
      if (deleted === undefined) return;
      for (const [path, file] of asked) {
        // It may be back.
        if (this.#gone.get(path) !== file) continue;
        this.#gone.delete(path);
        if (deleted.has(file)) this.#files.delete(path);
        else this.#held.add(path);
      }
      this.#options.onChange();
      this.#judge();
    });
  }

  #pathOf(namespace: string | undefined, name: string): string {
    return `${folderOf(this.#options.kind)}${namespace === undefined ? '' : `${namespace}/`}${name}`;
  }
}

/** Beginning of the paths of a kind's objects: its group, if it has one, and the kind. */
export function folderOf({ type }: FollowedKind): string {
  return `kubernetes/${type.group === '' ? '' : `${type.group}/`}${type.kind}/`;
}

/** Revisions of etcd are numbers, which later changes have larger; anything else is not a number. */
export function revisionNumber(revision: string | undefined): number {
  return revision !== undefined && /^\d{1,15}$/.test(revision) ? Number(revision) : Number.NaN;
}
