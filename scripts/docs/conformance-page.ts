import { variables } from '../../src/config/variables.ts';
import { type Evidence, readEvidence, readSpecification, type Specification } from './evidence.ts';
import { code, table } from './markdown.ts';

type Row = readonly [id: string, ...cells: string[]];

/** Every line of the specification, who owns it, and the test that shows it, or "open". */
export function conformancePage(): string {
  const specification = readSpecification();
  const evidence = readEvidence();
  const sections = [
    section('Objects and fields', ['kind', 'field', 'type'], fieldRows(specification), evidence),
    section(
      'Rules',
      ['rule'],
      specification.rules.map(({ id, text }) => [`rule/${id}`, text]),
      evidence,
    ),
    section(
      'Outcomes',
      ['policy in force'],
      specification.outcomes.map(({ id, policy }) => [`outcome/${id}`, policy]),
      evidence,
    ),
    section(
      'Errors',
      ['condition', 'result'],
      specification.errors.map(({ id, condition, result }) => [`error/${id}`, condition, result]),
      evidence,
    ),
    section('Commands and flags', ['command or flag', 'type', 'default'], flagRows(specification), evidence),
    section('Variables', ['variable', 'owner', 'setting'], variableRows(), evidence),
    section(
      'Metrics',
      ['metric', 'type'],
      specification.metrics.map(({ name, type }) => [`metric/${name}`, code(name), type]),
      evidence,
    ),
    section(
      'Constants',
      ['constant', 'value'],
      specification.constants.map(({ id, value }) => [`constant/${id}`, id, String(value)]),
      evidence,
    ),
  ];
  return `# Conformance\n\nWritten by \`make docs\` from \`fixtures/specification.json\` and \`fixtures/conformance.json\`. "open" is what is left to do.\n\n${sections.join('\n\n')}\n`;
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly Row[],
  evidence: Readonly<Record<string, Evidence>>,
): string {
  const lines = rows.map(([id, ...cells]) => [...cells, shownBy(evidence[id])]);
  const shown = rows.filter(([id]) => evidence[id]?.test !== undefined).length;
  return `## ${title}\n\n${shown} of ${rows.length} shown.\n\n${table([...head, 'shown by'], lines)}`;
}

function shownBy(evidence: Evidence | undefined): string {
  const test = evidence?.test === undefined ? 'open' : code(evidence.test);
  return evidence?.note === undefined ? test : `${test} (${evidence.note})`;
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

function variableRows(): Row[] {
  return variables.map(({ name, owner, setting }): Row => [`variable/${name}`, code(name), owner, code(setting ?? '')]);
}
