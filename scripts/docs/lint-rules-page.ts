import { readFileSync } from 'node:fs';
import { factsOf, sentence } from '../../src/lint/formats/rules.ts';
import { numbersWithoutRule } from '../../src/lint/numbers/numbers.ts';
import type { Category, Rule } from '../../src/lint/rule.ts';
import { allRules } from '../../src/lint/rule-index.ts';
import { casesOf } from '../../src/lint/testing/cases.ts';
import { table } from './markdown.ts';

const titles: Readonly<Record<Category, string>> = {
  'peer-authentication': 'Mutual TLS at the server',
  'client-tls': 'Mutual TLS at the client',
  authorization: 'Access rules',
  matching: 'Values of access rules',
  tokens: 'Tokens',
  routing: 'Gateways and routes',
  output: 'Templates and output',
  agent: 'Settings of the mesh and the agent',
  hygiene: 'Order and upkeep',
};

/** One section a rule, made from its metadata and its first case. */
export function lintRulesPage(): string {
  const parts = (Object.keys(titles) as Category[]).flatMap((category) => {
    const rules = allRules.filter((rule) => rule.category === category);
    return rules.length === 0 ? [] : [`## ${titles[category]}`, ...rules.map(section)];
  });
  return `# Rules of lint\n\nWritten by \`make docs\`. What [meshpol lint](meshpol-lint.md) finds in addition to the [diagnostics](diagnostics.md) of the compiler.
Below each rule, one line has its facts:

- direction: what the mistake does to access. It widens it, narrows it, breaks calls or settings, or none of these.
- confidence: a certain finding is a mistake whatever else the mesh has. A likely finding relies on something that the inputs do not
  contain; it is never an error.
- looks at: the kinds whose objects the rule reads.
- needs: a rule that needs topology does not run if the inputs have no workload and no service.\n\n${index()}\n\n${parts.join('\n\n')}\n\n${numbers()}\n`;
}

function index(): string {
  const rows = allRules.map(({ code, id, peers = [], severity, title }) => [
    `[${code}](#${code})`,
    [id, ...peers].join(', '),
    severity,
    title,
  ]);
  return table(['rule', 'also known as', 'severity', 'what it finds'], rows);
}

/** What the catalogue of rules has and lint has not. */
function numbers(): string {
  const rows = numbersWithoutRule.map((number) => [
    [number.id, ...(number.peers ?? [])].join(', '),
    number.title,
    'saidBy' in number
      ? number.saidBy.map((code) => `[${code}](diagnostics.md#${code})`).join(', ')
      : `left out: ${number.leftOut}`,
  ]);
  return `## Numbers without a rule\n\nThe compiler says these itself, or they are left out.\n\n${table(['number', 'what', 'said by'], rows)}`;
}

function section(rule: Rule): string {
  const [first] = casesOf(rule.code);
  const facts = factsOf(rule).map(([name, value]) => `${name}: ${value}`);
  return [
    `### ${rule.code}`,
    sentence(rule.title),
    `Why: ${sentence(rule.why)}`,
    `What to do: ${sentence(rule.hint)}`,
    `${[rule.id, ...(rule.peers ?? [])].join(', ')}; ${facts.join('; ')}.`,
    ...(first === undefined ? [] : [example('Found', first, 'bad'), example('Not found', first, 'good')]),
  ].join('\n\n');
}

function example(title: string, { code, shape }: ReturnType<typeof casesOf>[number], side: 'bad' | 'good'): string {
  const text = readFileSync(`fixtures/lint/${code}/${shape}.${side}.yaml`, 'utf8').trimEnd();
  return `${title}:\n\n\`\`\`yaml\n${text}\n\`\`\``;
}
