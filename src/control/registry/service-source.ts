import type { SourceFile } from '../../source/document.ts';
import type { RegistryFigures } from './registry.ts';

/** A source of further objects, beside the registry. */
export interface ServiceSource {
  /**
   * Before all services are known: those that were in force before this `meshd` was started, if they can be recognized
   * as this source's.
   */
  readonly files: readonly SourceFile[];
  /** It has told all its services once. */
  readonly hasSynced: boolean;
  /** There may be policies among them, which must not be missing; absent: they are services alone. */
  readonly hasPolicies?: boolean;
  readonly figures: readonly RegistryFigures[];
  /**
   * Tells of each change of `files`, and when all are known; `isEndpoints`: nothing but where and how well instances
   * are.
   */
  start(onChange: (change: { readonly isEndpoints: boolean }) => void): Promise<void>;
  close(): void;
}
