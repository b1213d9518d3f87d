import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type DiagnosticCode, registry } from '../../src/diagnostics/registry.ts';
import { diagnosticExample } from './diagnostic-example.ts';

const introduction = `# Diagnostics

Every code that \`meshpol compile\`, \`pilot-agent proxy\` and the [library](library.md) report, in alphabetical order;
[meshpol lint](meshpol-lint.md) shows them too, beside the findings of its [rules](lint-rules.md). If there is any error,
\`meshpol compile\` writes nothing, and \`pilot-agent proxy\` does not start Envoy; while it runs, it keeps what is active in place of
what is invalid ([Reload](../explanation/pilot-agent-reload.md)). Warnings and infos don't stop anything. A code never changes its
meaning.

Each section has the message (\`<…>\` stands for the parts that vary) and what to do. Most have an example: an input that causes the
message, and what is printed for that input, which may include other warnings. The whole example is in a folder of \`fixtures/err\`, which
is linked if the page does not show all its files. Names of Istio in an input, such as \`istio.io\` and \`istio-proxy\`, mean the names of
this project (\`mesh.io\`, \`mesh-proxy\`), which messages may show in their place ([Coming from Istio](../guides/from-istio.md)).
Written by \`make docs\` from \`src/diagnostics/catalogue\` and the goldens of \`fixtures/err\`.
`;

/** One section a code: what it says, an input that has the fault, and what is printed for it. */
export function diagnosticsPage(): string {
  const examples = readExamples();
  const codes = (Object.keys(registry) as DiagnosticCode[]).sort();
  const sections = codes.map((code) => section(code, examples.get(code)));
  return `${introduction}\n${sections.join('\n\n')}\n`;
}

function section(code: DiagnosticCode, example: string | undefined): string {
  const { severity, hint } = registry[code] as { severity: string; hint?: string };
  const parts = [
    `## ${code}`,
    `${severity === 'info' ? 'An info' : severity === 'error' ? 'An error' : 'A warning'}: ${pattern(code)}.`,
  ];
  if (hint !== undefined) parts.push(`What to do: ${hint}.`);
  if (example !== undefined) parts.push(diagnosticExample(example));
  return parts.join('\n\n');
}

/** The message with its holes named. */
function pattern(code: DiagnosticCode): string {
  const holes = new Proxy({}, { get: (_, name) => `<${String(name)}>` });
  const render = registry[code].message as (holes: object) => string;
  return `\`${render(holes)}\``;
}

/** For each code the first case of fixtures/err that shows it, preferring the one that is named for it. */
function readExamples(): Map<string, string> {
  const examples = new Map<string, string>();
  if (!existsSync('golden/err')) return examples;
  const cases = readdirSync('golden/err').sort();
  for (const name of cases) {
    const output = readFileSync(`golden/err/${name}/diagnostics.txt`, 'utf8');
    for (const [, code] of output.matchAll(/\[([a-z0-9-]+)\]$/gm)) {
      if (code === undefined || (examples.has(code) && name !== code)) continue;
      examples.set(code, name);
    }
  }
  return examples;
}
