import type { VariableOwner } from '../../src/config/variable.ts';
import { variables } from '../../src/config/variables.ts';
import { code, table } from './markdown.ts';

const owners: Readonly<Record<VariableOwner, string>> = {
  compiler: 'Changes compiled output: read by `meshpol compile`, `pilot-agent proxy` and `meshd`',
  agent: 'Read by `pilot-agent`',
  redirection: 'Read by `pilot-agent istio-iptables`',
  'control-plane': 'Read by `meshd`',
};

/** One table an owner, from the code's own list of variables. */
export function variablesPage(): string {
  const sections = Object.entries(owners).map(([owner, title]) => {
    const rows = variables
      .filter((variable) => variable.owner === owner)
      .map(({ name, type, default: value, setting, security }) => [
        code(name),
        type,
        code(value),
        setting === undefined ? '–' : code(setting),
        security ? 'error' : type === 'string' ? '–' : 'warning, default',
      ]);
    return `## ${title}\n\n${table(['variable', 'type', 'default', 'setting', 'unreadable value'], rows)}`;
  });
  return `# Environment variables\n\nWritten by \`make docs\` from \`src/config/variables.ts\`. Types are read as Go reads them: \`1 t T TRUE true True\` and their opposites, durations such as \`1m30s\`.\n\n${sections.join('\n\n')}\n`;
}
