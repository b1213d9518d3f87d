import type { NamedObject } from '../../contracts/named-object.ts';
/**
 * Why a change was not taken: the inputs do not compile; this proxy cannot use it (an identity is missing, say);
 * Envoy refuses it; Envoy does not show it in time; the world failed (a full disk, an unreadable file).
 */
export const refusalReasons = ['invalid', 'unusable', 'envoy-refused', 'not-shown', 'world'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Told of each reload as it happens; metrics are made of it. Calls neither throw nor take time. */
export interface ReloadObserver {
  /** Changes of the inputs that were told as one: how many files differ. */
  debounced(files: number): void;
  /** A compilation of changed inputs begins. */
  started(): void;
  /** A change is in force, so many milliseconds after its first file was seen to differ. */
  inForce(ms: number): void;
  /** A change was not taken, and these objects are at fault, as far as that is known. */
  refused(reason: RefusalReason, objects: readonly NamedObject[]): void;
  /**
   * After each compilation that gave a configuration: the objects whose present version is at fault, so that their last
   * good version stays. Empty when all is well.
   */
  held(objects: readonly NamedObject[]): void;
}

/** For who wants to know nothing. */
export const noObserver: ReloadObserver = {
  debounced: () => {},
  started: () => {},
  inForce: () => {},
  refused: () => {},
  held: () => {},
};
