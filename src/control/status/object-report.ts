import type { ResourceType } from '../../kubernetes/resource-type.ts';
import type { Condition } from './condition.ts';
import type { StandardStatus } from './gateway-api/standard-status.ts';

/** Result of compiling an object: its errors, and the version that is active. */
export interface Verdict {
  /** Version of the object that is in force, as the tracker of distribution knows it; undefined: none is. */
  readonly version: string | undefined;
  /** Why the object as it stands is not used; empty: it is in force. */
  readonly errors: readonly Finding[];
  /** What lint says of it; undefined: it was not asked. */
  readonly lint: readonly Finding[] | undefined;
  /** Of an object of the Gateway API: the status that it should have; absent: none is written. */
  readonly standard?: StandardStatus | undefined;
}

/** An error or a finding in an object. */
export interface Finding {
  /** Of a diagnostic or a rule of lint. */
  readonly code: string;
  /** Such as `spec.rules[0].to`; empty: of the whole object. */
  readonly field: string;
  readonly message: string;
}

/** An object whose status is written, with the results of compiler and lint. */
export interface ObjectReport {
  /** `kubernetes/<group>/<kind>/<namespace>/<name>` */
  readonly path: string;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly generation: number;
  readonly revision: string;
  /** Of everybody. */
  readonly conditions: readonly Condition[];
  /** Its whole status, of objects of the Gateway API. */
  readonly status?: unknown;
  /** Undefined: what the server has is not compiled yet. */
  readonly verdict: Verdict | undefined;
}

/** Key of an object in the tracker of distribution. */
export function trackedKey({ type, namespace, name }: Pick<ObjectReport, 'type' | 'namespace' | 'name'>): string {
  return namespace === undefined ? `${type.kind}/${name}` : `${type.kind}/${namespace}/${name}`;
}
