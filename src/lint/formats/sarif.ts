import { visibleInQuotes } from '../../diagnostics/formats/visible.ts';
import type { Place } from '../../diagnostics/placed.ts';
import type { Severity } from '../../diagnostics/registry.ts';
import type { LintReport, PlacedFix, ReportedFinding } from '../report.ts';
import type { Rule } from '../rule.ts';
import { allRules } from '../rule-index.ts';
import { docsOf } from './docs.ts';
import { sentence } from './rules.ts';
import { whyNotChecked } from './summary.ts';

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** SARIF 2.1.0 (OASIS): what code hosts show beside changed lines, and follow from run to run. */
export function formatSarif({ findings, notChecked, version, isFaulty, firstFile }: LintReport): string {
  const codes = findings.filter(({ rule }) => rule === undefined).map(({ placed }) => placed.code);
  const descriptors = [...allRules.map(ruleJson), ...[...new Set(codes)].sort().map((id) => ({ id }))];
  const indexes = new Map(descriptors.map(({ id }, i) => [id, i]));
  const sarif = {
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'meshpol', semanticVersion: version, rules: descriptors } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultJson(finding, indexes.get(finding.placed.code) ?? 0, firstFile)),
        invocations: [
          {
            executionSuccessful: !isFaulty,
            toolExecutionNotifications: notChecked.map(({ code, count }) => ({
              ...{
                level: 'note',
                message: { text: `not checked: ${code} (${count}): ${whyNotChecked({ isFaulty })}` },
              },
              ...(indexes.has(code) && { associatedRule: { id: code } }),
            })),
          },
        ],
      },
    ],
  };
  return visibleInQuotes(`${JSON.stringify(sarif, null, 2)}\n`);
}

function ruleJson(rule: Rule) {
  const { code, id, severity, title, why, hint, category, direction, confidence } = rule;
  const text = `${sentence(why)} ${sentence(hint)}`;
  return {
    id: code,
    name: code.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: sentence(title) },
    fullDescription: { text: sentence(why) },
    help: { text, markdown: `**Why:** ${sentence(why)}\n\n**What to do:** ${sentence(hint)}` },
    defaultConfiguration: { level: levels[severity] },
    properties: { number: id, docs: docsOf(rule, code), tags: [category], category, direction, confidence },
  };
}

/** Code hosts refuse a result without a place. */
function resultJson({ placed, fingerprint, rule, fix }: ReportedFinding, ruleIndex: number, firstFile = '.') {
  const { code, severity, message, why, hint, place, related } = placed;
  const text = [message, why, hint && `what to do: ${hint}`].filter(Boolean).join('; ');
  return {
    ...{ ruleId: code, ruleIndex, level: levels[severity], message: { text } },
    locations: [
      { physicalLocation: place === undefined ? { artifactLocation: { uri: uriOf(firstFile) } } : physical(place) },
    ],
    ...(related.length > 0 && {
      relatedLocations: related.map((other, id) => ({
        ...{ id, message: { text: other.message }, physicalLocation: physical(other.place) },
      })),
    }),
    partialFingerprints: { 'meshpol/v1': fingerprint },
    ...(fix && { fixes: [fixJson(fix)] }),
    properties: { docs: docsOf(rule, code), direction: rule?.direction, confidence: rule?.confidence },
  };
}

function fixJson({ title, edits }: PlacedFix) {
  const files = [...new Set(edits.map(({ place }) => place.file))];
  return {
    description: { text: title },
    artifactChanges: files.map((file) => ({
      artifactLocation: { uri: uriOf(file) },
      replacements: edits
        .filter(({ place }) => place.file === file)
        .map(({ place, text }) => ({ deletedRegion: region(place), insertedContent: { text } })),
    })),
  };
}

function physical(place: Place) {
  return { artifactLocation: { uri: uriOf(place.file) }, region: region(place) };
}

function region({ start, end }: Place) {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

/** A relative reference as in RFC 3986; standard input has no file. */
function uriOf(file: string): string {
  return file === '-' ? 'stdin' : file.split('/').map(encodeURIComponent).join('/');
}
