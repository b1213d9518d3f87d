import type { PolicyDocument } from '../source/document.ts';
import type { MeshObject, WorkloadSelector } from './object.ts';

/** An object that a policy is for, instead of the workloads of a selector. */
export interface TargetRef {
  /** Empty when absent. */
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Which workloads a policy is for: those of a selector, of one target or of several. */
export interface Binding {
  readonly selector?: WorkloadSelector;
  readonly targetRef?: TargetRef;
  readonly targetRefs?: readonly TargetRef[];
}

/** Of a policy with a selector that stands for one of the targets of the policy that was written. */
export interface BoundTarget {
  /** As `<namespace>/<name>`. */
  readonly gateway: string;
  /** Every target of the policy. */
  readonly gateways: readonly string[];
  /** Why the Gateway is not served, where it is not. */
  readonly fault?: string;
  /** The input has no Gateway of that namespace, or says nothing of the class of the Gateway. */
  readonly isUnseen?: true;
}

/** A policy that may be bound to Gateways. */
export interface BoundPolicy<Kind extends string> extends MeshObject<Kind> {
  readonly spec: Binding;
  readonly target?: BoundTarget;
}

type Field = Parameters<PolicyDocument['spanOf']>[0];

/** Each target of a policy, with its place. */
export function targetsOf({ targetRef, targetRefs }: Binding): readonly (readonly [TargetRef, Field])[] {
  if (targetRef !== undefined) return [[targetRef, ['spec', 'targetRef']]];
  return (targetRefs ?? []).map((target, i) => [target, ['spec', 'targetRefs', i]]);
}
