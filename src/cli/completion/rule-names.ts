import type { Candidate } from '../../completion/value-source.ts';
import { registry } from '../../diagnostics/registry.ts';
import { categories } from '../../lint/rule.ts';
import { allRules } from '../../lint/rule-index.ts';

/** What a command line may call rules by. */
export interface RuleNames {
  /** Codes, each with what the rule finds. */
  readonly rules: readonly Candidate[];
  /** Codes of the compiler, which `meshpol rules` explains too. */
  readonly diagnostics: readonly Candidate[];
  readonly categories: readonly string[];
  /** Codes of other tools, sorted. */
  readonly peers: readonly string[];
}

export function ruleNames(): RuleNames {
  return {
    rules: allRules.map(({ code, title }) => ({ word: code, description: title })),
    diagnostics: Object.entries(registry).map(([word, { severity }]) => ({ word, description: severity })),
    categories,
    peers: [...new Set(allRules.flatMap(({ peers = [] }) => peers))].sort(),
  };
}
