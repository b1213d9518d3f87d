import type { ApiObject, ResourceType } from '../../../kubernetes/resource-type.ts';
import type { SourceFile } from '../../../source/document.ts';
import { type Condition, conditionsOf } from '../../status/condition.ts';

/** Facts about an object that are not compiled, such as its generation and conditions. */
export interface ObjectFact {
  /** The object as it is compiled. */
  readonly file: SourceFile;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** It counts what the object's owner has changed. */
  readonly generation: number;
  readonly revision: string;
  readonly conditions: readonly Condition[];
}

/** The objects of the API server whose status is written. */
export class ObjectFacts {
  readonly #facts = new Map<string, ObjectFact>();
  #changed = new Set<string>();
  #onChange: () => void = () => undefined;

  get(path: string): ObjectFact | undefined {
    return this.#facts.get(path);
  }

  put(file: SourceFile, type: ResourceType, { metadata, status }: ApiObject): void {
    const { namespace, name, generation, resourceVersion: revision = '' } = metadata;
    const counted = typeof generation === 'number' ? generation : 0;
    const fact = { file, type, namespace, name, generation: counted, revision, conditions: conditionsOf(status) };
    this.#facts.set(file.path, fact);
    this.#changedAt(file.path);
  }

  delete(path: string): void {
    if (this.#facts.delete(path)) this.#changedAt(path);
  }

  /** Paths of those that are others since the last call. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Tells of the first change after a call of `takeChanged`. */
  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  #changedAt(path: string): void {
    this.#changed.add(path);
    if (this.#changed.size === 1) this.#onChange();
  }
}
