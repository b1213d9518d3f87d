import { UsageError } from '../lib/usage-error.ts';
import { faultsOf } from '../lint/configure.ts';
import { lintJson } from '../lint/formats/json.ts';
import { lintTexts, todayInUtc } from '../lint/lint-texts.ts';
import { reportOf } from '../lint/report.ts';
import type { RunnableRule } from '../lint/rule.ts';
import { allRules as builtIn } from '../lint/rule-index.ts';
import { ruleOf } from '../lint/select-rules.ts';
import { checkLintOptions } from './check-input.ts';
import { checkRule, failedCode } from './check-rule.ts';
import { type AnalyseInput, checkTexts } from './input.ts';
import type { LintOptions, LintResult } from './lint-options.ts';
import { readInput } from './read-input.ts';
import type { BuiltInRule, Rule } from './rule.ts';
import { type RuleFailure, runnable } from './run-rule.ts';

/** Every rule of ours, sorted by code: what is known of it, and what `rules` of the options takes. */
export const allRules: readonly BuiltInRule[] = /* @__PURE__ */ builtIn.map((rule) => {
  const { id, code, severity, confidence, kinds, needs, title, why, hint, category, direction } = rule;
  return { id, code, severity, confidence, kinds, needs, title, why, hint, category, direction };
});

const rank = { info: 0, warning: 1, error: 2 } as const;

/**
 * Finds mistakes in policies that compile, as `meshpol lint` does, from texts alone. Mistakes in the texts are findings
 * too, and a rule of a user that throws is one; a TypeError is thrown for arguments that are not of their type.
 */
export async function lint(input: AnalyseInput, options: LintOptions = {}): Promise<LintResult> {
  checkTexts('lint', input);
  checkLintOptions(options);
  const { project = {}, today = todayInUtc() } = options;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(today)) throw new TypeError(`lint: today is "${today}", expected YYYY-MM-DD`);
  const failures: RuleFailure[] = [];
  const chosen = chooseRules(options.rules);
  const own = runnable(chosen.own, input.files, failures);
  for (const { path, message } of faultsOf(project, own)) {
    throw new TypeError(`lint: project.${path.slice(1).join('.')}: ${message}`);
  }
  const { settings, sources, bag } = readInput(input);
  const named = { config: project, pathOf: (file: string): string => file };
  const rules = [...chosen.ours, ...own];
  const run = lintTexts({ inputs: input.files, sources, settings, rules, project: named, today }, bag);
  const found = { ...run.result, findings: [...failures.map(findingOf), ...run.result.findings] };
  const report = reportOf(found, run.files, { version: '', isFaulty: run.isFaulty }, own);
  const { failOn = 'error', severity = 'info' } = project;
  const isFrom = (least: keyof typeof rank) => (finding: (typeof report)['findings'][number]) =>
    rank[finding.placed.severity] >= rank[least];
  const shown = lintJson({ ...report, findings: report.findings.filter(isFrom(severity)) });
  const { findings, notChecked, summary } = shown;
  const fails = report.findings.some(isFrom(failOn));
  return { findings, notChecked, summary, suppressed: run.result.suppressed, fails };
}

function findingOf({ code, message }: RuleFailure) {
  const hint = 'correct the rule: what it did not look at is not checked';
  return {
    code: failedCode,
    severity: 'error' as const,
    message: `the rule "${code}" failed: ${message}`,
    hint,
    related: [],
  };
}

interface Chosen {
  readonly ours: readonly RunnableRule[];
  readonly own: readonly Rule[];
}

function chooseRules(rules: LintOptions['rules']): Chosen {
  if (rules === undefined) return { ours: builtIn, own: [] };
  if (rules.length === 0) throw new TypeError('lint: rules is empty, expected one rule or more');
  const ours = new Set<RunnableRule>();
  const own = new Map<string, Rule>();
  for (const rule of rules) {
    const known = typeof rule === 'string' ? named(rule) : builtIn[allRules.indexOf(rule as BuiltInRule)];
    if (known !== undefined) ours.add(known);
    else {
      checkRule(rule);
      if (own.has(rule.code)) throw new TypeError(`lint: two rules have the code "${rule.code}"`);
      own.set(rule.code, rule);
    }
  }
  return { ours: [...ours], own: [...own.values()] };
}

function named(code: string): RunnableRule {
  try {
    return ruleOf(code);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new TypeError(`lint: ${cause.message}`, { cause });
  }
}
