import { secretFault } from '../compiler/topology/gateway-secret.ts';
import type { Diagnostic } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Secret } from '../policy/topology-kinds.ts';

type Objects = readonly MeshObject<string>[];

/**
 * Which Secrets of gateways may be unusable: those that were never good. Their servers stay closed and the others go on,
 * while a Secret that was good and turns bad is held at its last good version, as every object is.
 */
export class ClosingSecrets {
  readonly #namespace: string | undefined;
  #good: ReadonlySet<string>;
  #told: ReadonlySet<string> = new Set();

  /** Of the proxy's namespace, or of all where it is undefined; `good` are Secrets (`<namespace>/<name>`) that were good before. */
  constructor(namespace: string | undefined, good: readonly string[] = []) {
    this.#namespace = namespace;
    this.#good = new Set(good);
  }

  /** Secrets (`<namespace>/<name>`) that could serve when they were last in force. */
  get good(): readonly string[] {
    return [...this.#good];
  }

  /** Of these objects; the same set as long as it holds the same names. */
  of(objects: Objects): ReadonlySet<string> {
    const keys = this.#secretsOf(objects).map(keyOf);
    const told = keys.filter((key) => !this.#good.has(key));
    const isSame = told.length === this.#told.size && told.every((key) => this.#told.has(key));
    if (!isSame) this.#told = new Set(told);
    return this.#told;
  }

  /** These objects are in force, with what was said of them. Of one that no server uses yet nothing was said. */
  accept(objects: Objects, said: readonly Diagnostic[]): void {
    const closed = said.filter(({ code }) => code === 'closing-gateway-secret');
    const isClosed = ({ document }: Objects[number]): boolean =>
      closed.some(({ span }) => {
        const own = document.spanOf(['metadata', 'name']);
        return span?.file === own.file && span.start === own.start;
      });
    const secrets = this.#secretsOf(objects);
    this.#good = new Set(secrets.filter((secret) => !isClosed(secret) && canServe(secret)).map(keyOf));
  }

  #secretsOf(objects: Objects): readonly Secret[] {
    return objects.filter(
      (object): object is Secret =>
        object.kind === 'Secret' && (this.#namespace === undefined || object.namespace === this.#namespace),
    );
  }
}

function keyOf({ namespace, name }: Objects[number]): string {
  return `${namespace}/${name}`;
}

function canServe(secret: Secret): boolean {
  return secretFault(secret, 'pair') === undefined || secretFault(secret, 'authorities') === undefined;
}
