import { presumeRootNamespace } from '../compiler/root-namespace.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { settingSpan } from '../config/setting-span.ts';
import type { SourceText } from '../diagnostics/placed.ts';
import type { OnStep } from '../lib/on-step.ts';
import { sortedBy } from '../lib/sort.ts';
import type { MeshObject } from '../policy/object.ts';
import { hasTopology } from './declared.ts';
import { diagnosticFindings, diagnosticsNotChecked } from './diagnostic-findings.ts';
import type { Finding, NotChecked } from './finding.ts';
import { withoutOutranked } from './outranked.ts';
import type { RunnableRule, SettingSighting, Sighting } from './rule.ts';
import { allRules, findRule, isWhole } from './rule-index.ts';
import { withSafeFixes } from './safe-fixes.ts';
import { annotationSuppressions } from './suppress/annotations.ts';
import { commentSuppressions } from './suppress/comments.ts';
import { suppress } from './suppress/suppress.ts';

export interface LintOptions {
  /** The rules to run; with all of ours among them, and when absent, what analysis said is told too. */
  readonly rules?: readonly RunnableRule[];
  /** The texts of the inputs, whose comments may suppress findings; without them only annotations do. */
  readonly files?: readonly SourceText[];
  /** The day of the run, `YYYY-MM-DD`, by which suppressions expire; none does when it is absent. */
  readonly today?: string;
  /** Told of each rule. */
  readonly onStep?: OnStep | undefined;
}

export interface LintResult {
  /** Sorted by file, place and code. */
  readonly findings: readonly Finding[];
  /** Findings that comments and annotations took. */
  readonly suppressed: number;
  /** Rules that needed to know more of the mesh than the input says; sorted by code. */
  readonly notChecked: readonly NotChecked[];
}

/**
 * What compiles and is still wrong, and what analysis said of the input; the snapshot is that of an analysis whose input
 * may be partial. Pure; nothing is rendered.
 */
export function lint(
  input: Snapshot,
  { rules = allRules, files = [], today = '', onStep }: LintOptions = {},
): LintResult {
  const snapshot = rooted(input);
  const isPlaced = hasTopology(snapshot);
  const tellsAll = isWhole(rules);
  const findings: Finding[] = tellsAll ? [...diagnosticFindings(snapshot)] : [];
  const notChecked: NotChecked[] = tellsAll ? [...diagnosticsNotChecked(snapshot)] : [];
  for (const [i, rule] of rules.entries()) {
    onStep?.('running rule', i + 1, rules.length);
    const skipped =
      rule.needs === 'topology' && !isPlaced
        ? new Set(snapshot.objects.filter(({ kind }) => rule.kinds.includes(kind)))
        : run(rule, snapshot, files, findings);
    if (skipped.size > 0) notChecked.push({ code: rule.code, count: skipped.size });
  }
  const own = new Set(rules.flatMap(({ code }) => (findRule(code) === undefined ? [code] : [])));
  const suppressions = [...commentSuppressions(files, own), ...annotationSuppressions(snapshot.objects, own)];
  const unseen = new Set(notChecked.map(({ code }) => code));
  const hasRun = (code: string): boolean => !unseen.has(code) && (tellsAll || rules.some((rule) => rule.code === code));
  const kept = suppress(withoutOutranked(findings, rules), suppressions, { files, today, hasRun });
  return {
    suppressed: kept.suppressed,
    findings: sortedBy(
      withSafeFixes(kept.findings, files),
      ({ span }) => span?.file ?? '',
      ({ span }) => span?.start ?? 0,
      ({ code }) => code,
      ({ message }) => message,
    ),
    notChecked: sortedBy(notChecked, ({ code }) => code),
  };
}

/** The root namespace that rules read is the one by which policies were merged, or one that makes no difference to merging. */
function rooted(snapshot: Snapshot): Snapshot {
  const { settings, objects, decidedRoot: rootNamespace = presumeRootNamespace(objects, settings) } = snapshot;
  return rootNamespace === settings.rootNamespace
    ? snapshot
    : { ...snapshot, settings: { ...settings, rootNamespace } };
}

/** Adds what the rule finds; gives the objects that it could not judge. */
function run(
  rule: RunnableRule,
  snapshot: Snapshot,
  files: readonly SourceText[],
  findings: Finding[],
): ReadonlySet<MeshObject<string>> {
  const skipped = new Set<MeshObject<string>>();
  rule.check({
    snapshot,
    report: (sighting) =>
      findings.push('setting' in sighting ? ofSetting(rule, sighting, snapshot, files) : ofObject(rule, sighting)),
    skip: (object) => void skipped.add(object),
  });
  return skipped;
}

function ofObject(rule: RunnableRule, sighting: Sighting): Finding {
  const { object, path, part, message, why = rule.why, hint, related = [], fix } = sighting;
  const { kind, namespace, name, document } = object;
  return {
    ...{ code: rule.code, severity: rule.severity, message, why, hint: hint ?? rule.hint },
    span: document.spanOf(path, part),
    related: related.map((other) => ({
      message: other.message,
      span: other.object.document.spanOf(other.path, other.part),
    })),
    subject: { kind, namespace, name, path },
    ...(fix && { fix }),
  };
}

function ofSetting(
  rule: RunnableRule,
  { setting, message, hint }: SettingSighting,
  { settings }: Snapshot,
  files: readonly SourceText[],
): Finding {
  const origin = settings.origins[setting];
  const span = origin && settingSpan(origin, files);
  const { code, severity, why } = rule;
  const told = origin === undefined || span !== undefined ? message : `${message} (${origin.detail})`;
  return { code, severity, message: told, why, hint: hint ?? rule.hint, related: [], ...(span && { span }) };
}
