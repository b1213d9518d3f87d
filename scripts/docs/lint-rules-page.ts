import { existsSync, readFileSync } from 'node:fs';
import { factsOf, sentence } from '../../src/lint/formats/rules.ts';
import { numbersWithoutRule } from '../../src/lint/numbers/numbers.ts';
import type { Category, Rule } from '../../src/lint/rule.ts';
import { allRules } from '../../src/lint/rule-index.ts';
import { casesOf } from '../../src/lint/testing/cases.ts';
import { fenced, table, withFewLines } from './markdown.ts';

const titles: Readonly<Record<Category, string>> = {
  'peer-authentication': 'Mutual TLS at the server',
  'client-tls': 'Mutual TLS at the client',
  authorization: 'Access rules',
  matching: 'Values of access rules',
  tokens: 'Tokens',
  routing: 'Gateways and routes',
  output: 'Templates and output',
  agent: 'Settings of the mesh and the agent',
  hygiene: 'Maintenance',
};

/** One section a rule, made from its metadata and its first case. */
export function lintRulesPage(): string {
  const parts = (Object.keys(titles) as Category[]).flatMap((category) => {
    const rules = allRules.filter((rule) => rule.category === category);
    return rules.length === 0 ? [] : [`## ${titles[category]}`, ...rules.map(section)];
  });
  return `# Rules of lint\n\nWritten by \`make docs\`. What [meshpol lint](meshpol-lint.md) finds in addition to the [diagnostics](diagnostics.md) of the compiler.
A rule has a code and a number (\`MP…\`). Numbers that begin with \`IST\` or \`KIA\` are the codes of \`istioctl analyze\` and Kiali for the
same mistake.

Each rule below has an example in which it finds something, and one in which it does not. One line has the properties of the rule:

- direction: the effect of the mistake. It widens access, narrows access, breaks calls or settings, or has none of these effects.
- confidence: a certain finding is a mistake, whatever objects the mesh has outside the inputs. A likely finding assumes that the inputs
  contain all objects of some kind; it is never an error.
- looks at: the kinds of objects that the rule checks; "settings" is the mesh configuration and the environment
  variables, "suppressions" is comments and annotations of any object that [suppress a finding](meshpol-lint.md).
- needs: a rule that needs topology runs only if the inputs have a workload or a service.
- fix changes: the part of the compiled output that changes if \`--fix\` fixes the finding. Rules without this property have no fix.

The line of a finding ends in \`# finding\`; a finding about a setting has none. A rule whose title says
"spelt almost like" or "misspelt" reports no other unknown names: they may be those of objects outside the inputs
([not checked](meshpol-lint.md)).\n\n${index()}\n\n${parts.join('\n\n')}\n\n${numbers()}\n`;
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
  return `## Numbers without a rule\n\nThese numbers stand for mistakes that no lint rule checks: a diagnostic of the compiler reports them, or they are left out for the reason\ngiven.\n\n${table(['number', 'mistake', 'reported by'], rows)}`;
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
  const path = `fixtures/lint/${code}/${shape}.${side}`;
  const parts = [`${title}:`, fenced('yaml', withFewLines(readFileSync(`${path}.yaml`, 'utf8').trimEnd()))];
  const config = textOf(`${path}.config.yaml`);
  const variables = textOf(`${path}.env`);
  if (config !== '') parts.push('With the mesh configuration:', fenced('yaml', config));
  if (variables !== '')
    parts.push(
      config === '' ? 'With the environment variable:' : 'And the environment variable:',
      fenced('sh', variables),
    );
  return parts.join('\n\n');
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : '';
}
