import { gatewaySecret, secretFault, secretUseKey, secretUses } from '../compiler/topology/gateway-secret.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Secret } from '../policy/topology-kinds.ts';

type Objects = readonly MeshObject<string>[];

/**
 * Which Secrets of gateways may be unusable, use by use: those that were never good for it. Their servers stay closed and the
 * others go on, while a Secret that was good and turns bad is held at its last valid version, as every object is. The
 * authorities of clients that somebody takes out are not held: nobody is verified by them any more.
 */
export class ClosingSecrets {
  readonly #namespace: string | undefined;
  #good: ReadonlySet<string>;
  #told: ReadonlySet<string> = new Set();

  /**
   * Of the proxy's namespace, or of all where it is undefined; `good` are uses (`secretUseKey`) that were good before.
   */
  constructor(namespace: string | undefined, good: readonly string[] = []) {
    this.#namespace = namespace;
    this.#good = new Set(good);
  }

  /** Uses of Secrets (`secretUseKey`) for which they could serve when they were last in force. */
  get good(): readonly string[] {
    return [...this.#good];
  }

  /** Of these objects; the same set as long as it holds the same uses. */
  of(objects: Objects): ReadonlySet<string> {
    const told = this.#secretsOf(objects).flatMap((secret) =>
      secretUses
        .filter((use) => (use === 'authorities' && holdsNone(secret)) || !this.#good.has(secretUseKey(secret, use)))
        .map((use) => secretUseKey(secret, use)),
    );
    const isSame = told.length === this.#told.size && told.every((key) => this.#told.has(key));
    if (!isSame) this.#told = new Set(told);
    return this.#told;
  }

  /** These objects are in force, whether a server uses them or not. */
  accept(objects: Objects): void {
    this.#good = new Set(
      this.#secretsOf(objects).flatMap((secret) =>
        secretUses.filter((use) => secretFault(secret, use) === undefined).map((use) => secretUseKey(secret, use)),
      ),
    );
  }

  #secretsOf(objects: Objects): readonly Secret[] {
    return objects.filter(
      (object): object is Secret =>
        object.kind === 'Secret' && (this.#namespace === undefined || object.namespace === this.#namespace),
    );
  }
}

function holdsNone(secret: Secret): boolean {
  return gatewaySecret(secret).authorities === undefined;
}
