import type { VariableOwner } from '../../src/config/variable.ts';
import { variables } from '../../src/config/variables.ts';
import { redirectFlags, variableOf } from '../../src/redirect/flags.ts';
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
    const more = owner === 'redirection' ? `\n\n${flagVariables()}` : '';
    return `## ${title}\n\n${table(['variable', 'type', 'default', 'setting', 'unreadable value'], rows)}${more}`;
  });
  return `# Environment variables\n\nWritten by \`make docs\` from \`src/config/variables.ts\`. Types are read as Go reads them: \`1 t T TRUE true True\` and their opposites, durations such as \`1m30s\`.\n\n${sections.join('\n\n')}\n`;
}

/** Every flag of redirection has a variable, which counts when the flag is not given; nothing in them is guessed at. */
function flagVariables(): string {
  const rows = redirectFlags.map((flag) => [
    code(variableOf(flag.name)),
    code(`--${flag.name}`),
    code('usual' in flag ? flag.usual : flag.name === 'restore-format' ? 'true' : 'false'),
  ]);
  return `Also read there, when the flag is not given; an unreadable value is an error:\n\n${table(['variable', 'flag', 'default'], rows)}`;
}
