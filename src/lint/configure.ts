import type { LintConfig, RuleSeverities } from '../config/project-file.ts';
import { registry, type Severity } from '../diagnostics/registry.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { decidingPattern, type IgnorePattern, parseIgnorePattern } from '../source/ignore-patterns.ts';
import type { Finding } from './finding.ts';
import type { RunnableRule } from './rule.ts';
import { findRule, nearestRule } from './rule-index.ts';

/** A mistake in the codes of a project file. */
export interface ConfigFault {
  readonly path: JsonPath;
  readonly message: string;
}

/** Codes that are none, and severities that they cannot have; `own` are rules of a user. */
export function faultsOf(
  { rules = {}, overrides = [] }: LintConfig,
  own: readonly RunnableRule[] = [],
): readonly ConfigFault[] {
  return [
    ...faultsOfRules(rules, ['lint', 'rules'], own),
    ...overrides.flatMap((override, i) => faultsOfRules(override.rules, ['lint', 'overrides', i, 'rules'], own)),
  ];
}

function faultsOfRules(rules: RuleSeverities, path: JsonPath, own: readonly RunnableRule[]): readonly ConfigFault[] {
  return Object.entries(rules).flatMap(([name, severity]) => {
    const message = faultOf(name, severity, own);
    return message === undefined ? [] : [{ path: [...path, name], message }];
  });
}

function faultOf(name: string, severity: Severity | 'off', own: readonly RunnableRule[]): string | undefined {
  const rule = findRule(name) ?? own.find(({ code }) => code === name);
  if (rule !== undefined) {
    if (rule.confidence !== 'likely' || severity !== 'error') return undefined;
    return `what "${rule.code}" finds is only likely, and cannot be an error`;
  }
  if (!Object.hasOwn(registry, name)) {
    const guess = nearestRule(name);
    return `no rule has the code "${name}"${guess === undefined ? '' : `: did you mean "${guess}"?`}`;
  }
  const { severity: told } = registry[name as keyof typeof registry];
  return told === 'error' ? `"${name}" is an error of the compiler, and stays one` : undefined;
}

/** Gives findings the severities that a project file says; `pathOf` is a file's path from the folder of that file. */
export function configure(
  findings: readonly Finding[],
  { rules = {}, overrides = [] }: LintConfig,
  pathOf: (file: string) => string | undefined,
): readonly Finding[] {
  const whole = byCode(rules);
  const parts = overrides.map((override) => ({
    patterns: override.paths.flatMap((text) => parseIgnorePattern(text) ?? []),
    rules: byCode(override.rules),
  }));
  return findings.flatMap((finding) => {
    const path = finding.span && pathOf(finding.span.file);
    const part = parts.findLast((it) => path !== undefined && it.rules.has(finding.code) && covers(it.patterns, path));
    const severity = (part?.rules ?? whole).get(finding.code) ?? finding.severity;
    if (severity === 'off') return [];
    return [severity === finding.severity ? finding : { ...finding, severity }];
  });
}

function byCode(rules: RuleSeverities): ReadonlyMap<string, Severity | 'off'> {
  return new Map(Object.entries(rules).map(([name, severity]) => [findRule(name)?.code ?? name, severity]));
}

/** Whether the patterns hold for a file, or for a folder above it. */
function covers(patterns: readonly IgnorePattern[], path: string): boolean {
  const names = path.split('/');
  return names.some((_, i) => {
    const decided = decidingPattern(patterns, names.slice(0, i + 1).join('/'), i < names.length - 1);
    return decided !== undefined && !decided.isNegated;
  });
}
