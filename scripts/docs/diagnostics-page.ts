import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type DiagnosticCode, registry } from '../../src/diagnostics/registry.ts';

const introduction = `# Diagnostics

Every code that \`meshpol compile\`, \`pilot-agent proxy\` and the [library](library.md) report, in alphabetical order. If there is any
error, nothing is written. Warnings and infos don't stop anything. A code never changes its meaning.

Each section has the message (\`<…>\` stands for the parts that vary), what to do, an input that causes it, and what is printed for that
input. Written by \`make docs\` from \`src/diagnostics/catalogue\` and the goldens of \`fixtures/err\`.
`;

/** One section a code: what it says, an input that has the fault, and what is printed for it. */
export function diagnosticsPage(): string {
  const examples = readExamples();
  const codes = (Object.keys(registry) as DiagnosticCode[]).sort();
  const sections = codes.map((code) => section(code, examples.get(code)));
  return `${introduction}\n${sections.join('\n\n')}\n`;
}

interface Example {
  readonly input: string;
  readonly output: string;
}

function section(code: DiagnosticCode, example: Example | undefined): string {
  const { severity, hint } = registry[code] as { severity: string; hint?: string };
  const parts = [
    `## ${code}`,
    `${severity === 'info' ? 'An info' : severity === 'error' ? 'An error' : 'A warning'}: ${pattern(code)}.`,
  ];
  if (hint !== undefined) parts.push(`What to do: ${hint}.`);
  if (example !== undefined) {
    if (example.input !== '') parts.push(`\`\`\`yaml\n${example.input}\n\`\`\``);
    parts.push(`\`\`\`text\n${example.output}\n\`\`\``);
  }
  return parts.join('\n\n');
}

/** The message with its holes named. */
function pattern(code: DiagnosticCode): string {
  const holes = new Proxy({}, { get: (_, name) => `<${String(name)}>` });
  const render = registry[code].message as (holes: object) => string;
  return `\`${render(holes)}\``;
}

/** The first case of fixtures/err that shows a code, preferring the one that is named for it. */
function readExamples(): Map<string, Example> {
  const examples = new Map<string, Example>();
  if (!existsSync('golden/err')) return examples;
  const cases = readdirSync('golden/err').sort();
  for (const name of cases) {
    const output = readFileSync(`golden/err/${name}/diagnostics.txt`, 'utf8').trimEnd();
    for (const [, code] of output.matchAll(/\[([a-z0-9-]+)\]$/gm)) {
      if (code === undefined || (examples.has(code) && name !== code)) continue;
      examples.set(code, { input: inputOf(name, output), output });
    }
  }
  return examples;
}

/** The file that the first diagnostic points into, when it is short enough to show. */
function inputOf(name: string, output: string): string {
  const file = /^([^:\n]+):\d+:\d+: /m.exec(output)?.[1];
  const path = `fixtures/err/${name}/${file}`;
  if (file === undefined || !existsSync(path)) return '';
  const text = readFileSync(path, 'utf8').trimEnd();
  return text.split('\n').length > 40 || text.includes('```') || /[^\n\x20-\x7e]/.test(text) ? '' : text;
}
