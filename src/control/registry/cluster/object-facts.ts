import type { ApiObject, ResourceType } from '../../../kubernetes/resource-type.ts';
import { standardGroup } from '../../../policy/gateway-api.ts';
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
  /** Of objects of the Gateway API. */
  readonly status?: unknown;
}

/** The objects of the API server whose status is written. */
export class ObjectFacts {
  readonly #facts = new Map<string, ObjectFact>();
  #changed = new Set<string>();
  #onChange: () => void = () => undefined;

  get(path: string): ObjectFact | undefined {
    return this.#facts.get(path);
  }

  put(file: SourceFile, type: ResourceType, { metadata, status, apiVersion }: ApiObject): void {
    const { namespace, name, generation, resourceVersion: revision = '' } = metadata;
    const isStandard = type.group === standardGroup;
    this.#facts.set(file.path, {
      ...{ file, type: isStandard ? asServed(type, apiVersion) : type, namespace, name, revision },
      generation: typeof generation === 'number' ? generation : 0,
      conditions: conditionsOf(status),
      ...(isStandard && { status }),
    });
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

/** The kind in the version in which the server gave an object: it may not serve the preferred one. */
function asServed(type: ResourceType, apiVersion: unknown): ResourceType {
  const [group, version] = String(apiVersion).split('/');
  return group === type.group && version !== undefined ? { ...type, version } : type;
}
