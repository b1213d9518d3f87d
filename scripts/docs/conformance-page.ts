import { variables } from '../../src/config/variables.ts';
import {
  type Evidence,
  readEvidence,
  readOpenWork,
  readSpecification,
  type Specification,
  testsOf,
} from './evidence.ts';
import { code, table } from './markdown.ts';
import { parseTestReference } from './test-reference.ts';
import { testTitle } from './test-title.ts';

type Row = readonly [id: string, ...cells: string[]];

interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
}

/** Every line of the specification, who owns it, and the test that shows it, or "open". */
export function conformancePage(): string {
  const evidence = readEvidence();
  const sections = sectionsOf(readSpecification());
  const counts = sections.map(({ title, rows }) => [title, ...countsOf(rows, evidence)] as const);
  const total = counts.reduce((sum, [, ...own]) => sum.map((count, i) => count + (own[i] ?? 0)), [0, 0, 0, 0]);
  const summary = table(
    ['section', 'lines', 'shown', 'shown in part', 'open'],
    [...counts, ['all', ...total] as const].map((cells) => cells.map(String)),
  );
  const introduction =
    'The specification is the list of kinds, rules, flags, variables and metrics that the programs were written to; ' +
    '`fixtures/specification.json` holds it. This page names for each of its lines the test that shows it, as file, ' +
    'group and title of the test; `%s` and `$name` stand for the values of a table of cases. A note in parentheses says which part ' +
    'of a line does not hold, and whether that is a limit of Envoy or a ruling of this project; the tests of the line hold it. Of a variable, "owner" is the program or part that reads it, and "setting" its name in ' +
    '`pilot-agent proxy --print-config`. Metrics of type LastValue are gauges, those of type Sum are counters. "000, exit 56" is what curl prints ' +
    'and ends with when its connection is reset. "open" is not done yet. Written by ' +
    '`make docs` from `fixtures/specification.json` and `fixtures/conformance.json`. Targets of speed and memory that are missed are in bold in [performance.md](performance.md).';
  return `# Conformance\n\n${introduction}\n\n${summary}\n\n${sections.map((it) => sectionText(it, evidence)).join('\n\n')}\n\n${openWork()}\n`;
}

/** What is known to be missing beside the lines of the specification. */
function openWork(): string {
  const rows = readOpenWork();
  return `## Other known gaps\n\nWhat is missing or wrong, but not a line of the specification.\n\n${table(
    ['what', 'where'],
    rows.map(({ what, where }) => [what, where]),
  )}`;
}

function sectionsOf(specification: Specification): readonly Section[] {
  const { rules, outcomes, errors, metrics, constants } = specification;
  return [
    { title: 'Objects and fields', head: ['kind', 'field', 'type'], rows: fieldRows(specification) },
    { title: 'Rules', head: ['rule'], rows: rules.map(({ id, text }) => [`rule/${id}`, text]) },
    {
      title: 'Outcomes',
      head: ['policy in force'],
      rows: outcomes.map(({ id, policy }) => [`outcome/${id}`, policy]),
    },
    {
      title: 'Errors',
      head: ['condition', 'result'],
      rows: errors.map(({ id, condition, result }) => [`error/${id}`, condition, result]),
    },
    { title: 'Commands and flags', head: ['command or flag', 'type', 'default'], rows: flagRows(specification) },
    { title: 'Variables', head: ['variable', 'owner', 'setting'], rows: variableRows(specification.variables) },
    {
      title: 'Metrics',
      head: ['metric', 'type'],
      rows: metrics.map(({ name, type }) => [`metric/${name}`, code(name), type]),
    },
    {
      title: 'Constants',
      head: ['constant', 'value'],
      rows: constants.map(({ id, value }) => [`constant/${id}`, id, String(value)]),
    },
  ];
}

/** Lines, shown as a whole, shown in part, open. */
function countsOf(rows: readonly Row[], evidence: Readonly<Record<string, Evidence>>): readonly number[] {
  const shown = rows.map(([id]) => evidence[id]).filter((it) => testsOf(it).length > 0);
  const inPart = shown.filter((it) => it?.note !== undefined).length;
  return [rows.length, shown.length - inPart, inPart, rows.length - shown.length];
}

function sectionText({ title, head, rows }: Section, evidence: Readonly<Record<string, Evidence>>): string {
  const lines = rows.map(([id, ...cells]) => [...cells, shownBy(evidence[id])]);
  return `## ${title}\n\n${table([...head, 'shown by'], lines)}`;
}

function shownBy(evidence: Evidence | undefined): string {
  const tests = testsOf(evidence).map((text) => code(testTitle(parseTestReference(text))));
  const text = tests.length === 0 ? 'open' : tests.join('; ');
  return evidence?.note === undefined ? text : `${text} (${evidence.note})`;
}

function fieldRows({ objects }: Specification): Row[] {
  return objects.flatMap(({ kind, fields }) =>
    fields.map(({ path, type, values }): Row => {
      const values_ = values === undefined ? '' : `: ${values.join(', ')}`;
      return [`field/${kind}/${path}`, kind, code(path), type + values_];
    }),
  );
}

function flagRows({ commands, commonFlags }: Specification): Row[] {
  const own = commands.flatMap(({ name, flags }): Row[] => [
    [`command/${name}`, code(name), 'command', '–'],
    ...flags.map(
      (flag): Row => [
        `flag/${name} ${flag.name}`,
        code(`${name} ${flag.name}`),
        flag.type ?? 'string',
        code(flag.default),
      ],
    ),
  ]);
  return [
    ...own,
    ...commonFlags.map(
      (flag): Row => [`flag/${flag.name}`, code(flag.name), flag.type ?? 'string', code(flag.default)],
    ),
  ];
}

function variableRows(specified: Specification['variables']): Row[] {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  return specified.map(({ name }): Row => {
    const { owner = 'open', setting = '' } = byName.get(name) ?? {};
    return [`variable/${name}`, code(name), owner, code(setting)];
  });
}
