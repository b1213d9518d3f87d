import type { LintFinding, LintSummary, NotCheckedRule } from '../contracts/lint-report.ts';
import type { BuiltInRule, Rule } from './rule.ts';

/** How `lint` judges. */
export interface LintOptions {
  /** The rules to run: codes or numbers of ours, members of `allRules`, and rules of your own. All of ours when absent. */
  readonly rules?: readonly (string | BuiltInRule | Rule)[] | undefined;
  /** What a project file says under `lint`. */
  readonly project?: LintProject | undefined;
  /** The day by which suppressions expire, `YYYY-MM-DD`; today in UTC when absent. */
  readonly today?: string | undefined;
}

/** Severity by code or number of a rule, or by code of a warning; `off` for no finding. */
export type SeverityByCode = Readonly<Record<string, LintFinding['severity'] | 'off'>>;

/** The settings of `.meshpol.yaml`, as data. */
export interface LintProject {
  /** The result fails if there is a finding of this severity or above; `error` when absent. */
  readonly failOn?: LintFinding['severity'];
  /** Findings of this severity and above are given; all when absent. */
  readonly severity?: LintFinding['severity'];
  readonly rules?: SeverityByCode;
  /** Severities for some texts, by patterns as in .gitignore for their paths; of several the last one wins. */
  readonly overrides?: readonly { readonly paths: readonly string[]; readonly rules: SeverityByCode }[];
}

/** What `lint` gives. */
export interface LintResult {
  /** As in the JSON form of `meshpol lint`: sorted by file, line, column and code. */
  readonly findings: readonly LintFinding[];
  readonly notChecked: readonly NotCheckedRule[];
  readonly summary: LintSummary;
  /** How many findings comments and annotations suppressed. */
  readonly suppressed: number;
  /** There is a finding of the severity `failOn` or above. */
  readonly fails: boolean;
}
