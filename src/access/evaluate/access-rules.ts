import type { AccessFilter, AccessRule, AccessRules } from '../lift/rbac.ts';
import type { Step } from '../outcome.ts';
import { metConditions, nearDenials, nearMisses } from '../reason/near-miss.ts';
import { holds, knownTruth } from './holds.ts';
import type { RequestView } from './request-view.ts';
import { rulesFor } from './rule-index.ts';
import type { Observer } from './surroundings.ts';

/** Verdict of an access filter about a request. */
export type AccessVerdict =
  | { readonly kind: 'passed' | 'denied'; readonly rule: AccessRule | undefined }
  /** A rule that comes first in turn says what is not understood, there. */
  | { readonly kind: 'unmodelled'; readonly at: string };

/**
 * Tries the rules in their order: under ALLOW the first that matches lets the request pass, under DENY it denies it. Where
 * none matches, ALLOW denies and DENY passes. LOG never denies.
 */
export function judge(judged: AccessRules, view: RequestView, observer?: Observer): AccessVerdict {
  const verdict = verdictOf(judged, view);
  if (verdict.kind !== 'unmodelled') observer?.rules(judged, verdict.rule, view);
  return verdict;
}

function verdictOf({ action, rules }: AccessRules, view: RequestView): AccessVerdict {
  const opaque = view.blanks === undefined && view.opaque.length > 0 ? view.opaque : undefined;
  for (const { rule } of rulesFor(rules, view)) {
    if (rule.gap !== undefined) return { kind: 'unmodelled', at: rule.gap };
    const unknown = opaque && firstOf(rule.readsHeaders, opaque);
    const isMet = unknown === undefined ? holds(rule.condition, view) : knownTruth(rule.condition, view);
    if (isMet === undefined)
      return { kind: 'unmodelled', at: `the value of the header ${unknown}, which ${rule.name} compares` };
    if (!isMet) continue;
    return { kind: action === 'DENY' ? 'denied' : 'passed', rule };
  }
  return { kind: action === 'ALLOW' ? 'denied' : 'passed', rule: undefined };
}

/** The first name that is in the other list, too. */
function firstOf(names: readonly string[], others: readonly string[]): string | undefined {
  for (const name of names) if (others.includes(name)) return name;
  return undefined;
}

/** Leaves the verdict of rules that are not enforced for later filters; gives the place of what is not understood. */
export function leaveShadow(
  filter: string,
  { rules, prefix }: NonNullable<AccessFilter['shadow']>,
  view: RequestView,
  observer?: Observer,
): string | undefined {
  const verdict = judge(rules, view, observer);
  if (verdict.kind === 'unmodelled') return verdict.at;
  view.leave(filter, {
    [`${prefix}shadow_engine_result`]: verdict.kind === 'denied' ? 'denied' : 'allowed',
    ...(verdict.rule !== undefined && { [`${prefix}shadow_effective_policy_id`]: verdict.rule.name }),
  });
  return undefined;
}

/** Envoy's reason for a denied request, as its access log has it (`RESPONSE_CODE_DETAILS`). */
export function denialDetails(rule: AccessRule | undefined): string {
  return `rbac_access_denied_matched_policy[${rule?.name ?? 'none'}]`;
}

/** The step of a verdict: the rule that matched, and why if it denies; if none matched, the rules that almost did. */
export function accessStep(
  station: Step['station'],
  { rules, action, at }: AccessRules,
  rule: AccessRule | undefined,
  view: RequestView,
): Step {
  if (rule !== undefined) {
    const { at, name: decider } = rule;
    if (action !== 'DENY') return { station, at, decider, action };
    return { station, at, decider, action, met: () => metConditions(rule, view) };
  }
  if (action === 'LOG') return { station, at, decider: '', action };
  const near: Step['nearMisses'] = (changing) =>
    action === 'DENY' ? nearDenials(rules, view, changing) : nearMisses(rules, view);
  return { station, at, decider: '', action, nearMisses: near };
}
