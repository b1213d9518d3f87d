import type { Settings } from '../../../../config/settings.ts';
import { type InboundGates, startInboundGates } from '../../testing/inbound-gate.ts';

/** Rules in YAML's flow form under the name of their gate: one policy of an action, or several. */
export type Rules = Readonly<Record<string, readonly (readonly [action: string, rules: string])[]>>;

/**
 * One gate for each set of rules, with `beside` (YAML) in each; `others` are gates in YAML as a whole, `settings` their
 * own.
 */
export function startRuleGates(
  rules: Rules,
  beside = '',
  others: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, Partial<Settings>>> = {},
): Promise<InboundGates> {
  const texts = Object.entries(rules).map(([name, policies]) => {
    const own = policies.map(([action, text], i) => rulePolicy(`p${i}`, action, text));
    return [name, [beside, ...own].filter((text) => text !== '').join('\n---\n')] as const;
  });
  return startInboundGates({ ...Object.fromEntries(texts), ...others }, settings);
}

/** An AuthorizationPolicy; rules and annotations in YAML's flow form. */
export function rulePolicy(name: string, action: string, text: string, annotations = '{}'): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: a, annotations: ${annotations}}
spec: {action: ${action}, rules: ${text}}`;
}
