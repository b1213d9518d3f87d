import type { ConditionWords } from '../condition.ts';

/** The parts of the status of an object of the Gateway API that `meshd` decides. */
export interface StandardStatus {
  /** Of a GatewayClass or a Gateway. */
  readonly conditions?: readonly ConditionWords[];
  /** Of a Gateway. */
  readonly addresses?: readonly GatewayAddress[];
  /** Of a Gateway, in the order of its listeners. */
  readonly listeners?: readonly ListenerStatus[];
  /** Of a route, in the order of its references; only those that lead to Gateways of ours. */
  readonly parents?: readonly ParentStatus[];
}

export interface GatewayAddress {
  readonly type: 'Hostname';
  readonly value: string;
}

export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly RouteKind[];
  readonly attachedRoutes: number;
  readonly conditions: readonly ConditionWords[];
}

export interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

export interface ParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly ConditionWords[];
}

/** A reference as a status has it. Servers fill in group and kind, so they are always there. */
export interface ParentReference {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

/** A condition that holds. */
export function isTrue(type: string, reason: string, message: string): ConditionWords {
  return { type, status: 'True', reason, message };
}

/** A condition that does not hold. */
export function isFalse(type: string, reason: string, message: string): ConditionWords {
  return { type, status: 'False', reason, message };
}

/** A condition of which nothing is known yet. */
export function isUnknown(type: string, message: string): ConditionWords {
  return { type, status: 'Unknown', reason: 'Pending', message };
}
