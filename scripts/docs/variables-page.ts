import { unsupportedVariables } from '../../src/cli/agent/refuse.ts';
import { ownVariables } from '../../src/config/own-variables.ts';
import type { Variable, VariableOwner } from '../../src/config/variable.ts';
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
    const more = owner === 'redirection' ? `\n\n${flagVariables()}` : '';
    return `## ${title}\n\n${variableTable(variables.filter((variable) => variable.owner === owner))}${more}`;
  });
  const own = `## Also read, though not in the specification's table\n\n${variableTable(ownVariables)}\n\n${nodeVariables}`;
  return `# Environment variables\n\nWritten by \`make docs\` from \`src/config/variables.ts\`. A setting is what \`pilot-agent proxy --print-config\` shows. Types are read as Go reads them: \`1 t T TRUE true True\` and their opposites, durations such as \`1m30s\`.\n\n${[...sections, own].join('\n\n')}\n`;
}

const nodeVariables =
  '`MESH_META_<KEY>` (text) and `MESH_METAJSON_<ANY>` (the members of a JSON object) become metadata of the node; JSON that cannot be read is an error.';

function variableTable(list: readonly Variable[]): string {
  const rows = list.map(({ name, type, default: value, effect, setting, security }) => [
    code(name),
    type,
    code(value),
    unsupportedVariables({ [name]: 'asked for' }).length > 0 ? `${effect} (refused until it is supported)` : effect,
    setting === undefined ? '–' : code(setting),
    security ? 'error' : type === 'string' ? '–' : 'warning, default',
  ]);
  return table(['variable', 'type', 'default', 'effect', 'setting', 'unreadable value'], rows);
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
