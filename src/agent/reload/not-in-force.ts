import type { NamedObject } from '../../contracts/named-object.ts';
import type { RefusalReason } from './observer.ts';

/** Thrown where a change has to be given up. */
export class NotInForce extends Error {
  readonly reason: RefusalReason;
  readonly objects: readonly NamedObject[];

  constructor(reason: RefusalReason, message: string, objects: readonly NamedObject[] = []) {
    super(message);
    this.reason = reason;
    this.objects = objects;
  }
}

/** Message and first cause: of a file that cannot be written, the cause is what helps. */
export function causes({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
