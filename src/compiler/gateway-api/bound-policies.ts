import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type GatewayClass, gatewayNameLabel, type StandardGateway } from '../../policy/gateway-api.ts';
import { type BoundPolicy, type BoundTarget, type TargetRef, targetsOf } from '../../policy/policy-target.ts';
import { madeDocument } from '../../policy/written-field.ts';
import { type GatewayWorkloads, isOfOwnClass, isOfUnseenClass, type ServedGateways } from './served-gateways.ts';

/** The Gateways of the input, and which of them are served here. */
export interface KnownGateways {
  readonly gateways: readonly StandardGateway[];
  readonly served: ServedGateways;
  readonly classes: readonly GatewayClass[];
}

/** Whether a policy is bound to Gateways. */
export function isBound({ spec }: BoundPolicy<string>): boolean {
  return spec.targetRef !== undefined || spec.targetRefs !== undefined;
}

interface Bound<P> {
  /** All that the policies were made of, but for the one that was written. */
  readonly key: string;
  readonly policies: readonly P[];
}

/**
 * Policies with selectors in place of those that are bound to Gateways: one for each target, for the workloads that serve it.
 * A policy for a Gateway that is not served here is for the workloads that carry its name, if there are any.
 */
export class BoundPolicies<P extends BoundPolicy<string>> {
  readonly #known = new WeakMap<P, Bound<P>>();

  /** In the order of the policies; the same objects as before for targets that are served as before. */
  of(policies: readonly P[], known: KnownGateways, bag: DiagnosticBag): readonly P[] {
    return policies.flatMap((policy) => (isBound(policy) ? this.#bound(policy, known, bag) : [policy]));
  }

  #bound(policy: P, known: KnownGateways, bag: DiagnosticBag): readonly P[] {
    const targets = targetsOf(policy.spec).map(([target, path]) => ({ path, ...workloadsFor(policy, target, known) }));
    for (const { path, workloads, gateway, isLost } of targets) {
      // What the Gateway is said not to be served by is said of it already: of a part of a mesh this says no more.
      if (isLost) bag.report('target-without-service', policy.document.spanOf(path), { gateway }, { isUnseen: true });
      if (workloads.namespace === policy.namespace) continue;
      const reason = `Gateway "${gateway}" is served by workloads of namespace "${workloads.namespace}", and the policy is in "${policy.namespace}"`;
      const hint = `write the policy in namespace "${workloads.namespace}", with a "selector" for the workloads`;
      bag.report('unsupported-target', policy.document.spanOf(path), { reason }, { hint });
    }
    const key = JSON.stringify(targets);
    const before = this.#known.get(policy);
    if (before?.key === key) return before.policies;
    const gateways = targets.map(({ gateway }) => gateway);
    const bound = targets.map(({ path, workloads: { labels }, ...target }) =>
      withSelector(policy, labels, { ...target, gateways }, path),
    );
    this.#known.set(policy, { key, policies: bound });
    return bound;
  }
}

type Target = Omit<BoundTarget, 'gateways'> & { readonly workloads: GatewayWorkloads; readonly isLost?: boolean };

function workloadsFor({ namespace }: BoundPolicy<string>, { name }: TargetRef, known: KnownGateways): Target {
  const { gateways, served, classes } = known;
  const found = gateways.find((it) => it.namespace === namespace && it.name === name);
  const workloads = found && served.get(found);
  const gateway = `${namespace}/${name}`;
  if (workloads !== undefined) return { gateway, workloads };
  const isUnseen =
    found === undefined ? !gateways.some((it) => it.namespace === namespace) : isOfUnseenClass(found, classes);
  return {
    gateway,
    workloads: { namespace, labels: { [gatewayNameLabel]: name } },
    fault: found === undefined ? 'there is no such Gateway' : 'it is not served here',
    ...(isUnseen && { isUnseen }),
    ...(found !== undefined && isOfOwnClass(found, classes) && { isLost: true }),
  };
}

function withSelector<P extends BoundPolicy<string>>(
  policy: P,
  matchLabels: GatewayWorkloads['labels'],
  target: BoundTarget,
  path: readonly (string | number)[],
): P {
  const { targetRef: _, targetRefs: __, ...rest } = policy.spec;
  const spec = { ...rest, selector: { matchLabels } };
  const writtenAs: P['writtenAs'] = (field) => ({
    object: policy,
    field: field[0] === 'spec' && field[1] === 'selector' ? path : field,
  });
  // What is read of the document is what is read of the object.
  const value = { ...policy.document.value, spec } as unknown as P['document']['value'];
  return { ...policy, spec, target, writtenAs, document: madeDocument(policy, value, writtenAs) };
}
