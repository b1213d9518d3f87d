import { type FleetFault, faultKey } from './fleet-outcome.ts';
import type { Fault } from './last-valid.ts';

/** Objects whose last valid version holds, by the key of their fault, with the version of the mesh since which it does. */
export class HeldObjects {
  #since: ReadonlyMap<string, string | undefined> = new Map();

  /** Those of which the version is known, for a fleet that takes the place of this one. */
  get known(): readonly (readonly [string, string])[] {
    return [...this.#since].flatMap(([key, since]) => (since === undefined ? [] : [[key, since] as const]));
  }

  restore(known: Iterable<readonly [string, string]>): void {
    this.#since = new Map(known);
  }

  /** `version` is in force: what is held from now on is held since then. */
  take(faults: readonly Fault[], version: string | undefined): void {
    this.#since = new Map(
      faults.flatMap((fault) => {
        const key = faultKey(fault);
        return fault.isHeld ? [[key, this.#since.has(key) ? this.#since.get(key) : version] as const] : [];
      }),
    );
  }

  /** The fault as proxies are told of it; what is `lost` holds no more. */
  told(fault: Fault, lost: ReadonlySet<string>): FleetFault {
    const { object, file, line, errors } = fault;
    const key = faultKey(fault);
    const heldSince = lost.has(key) ? undefined : this.#since.get(key);
    const name = object && { kind: object.kind, namespace: object.namespace, name: object.name };
    return { object: name, file, line, heldSince, errors };
  }
}
