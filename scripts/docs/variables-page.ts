import { countingVariables } from '../../src/cli/agent/discovery.ts';
import { unsupportedVariables } from '../../src/cli/agent/refuse.ts';
import { serveVariables } from '../../src/cli/control/variables.ts';
import { ownVariables } from '../../src/config/own-variables.ts';
import { readAgentSettings } from '../../src/config/read-agent-settings.ts';
import type { Variable, VariableOwner } from '../../src/config/variable.ts';
import { variables } from '../../src/config/variables.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { redirectFlags, variableOf } from '../../src/redirect/flags.ts';
import { code, table } from './markdown.ts';

const owners: Readonly<Record<VariableOwner, string>> = {
  compiler: 'Changes compiled output: read by `meshpol`, `pilot-agent proxy` and `meshd`',
  agent: 'Read by `pilot-agent`',
  redirection: 'Read by `pilot-agent istio-iptables`',
  'control-plane': 'Read by `meshd`',
};

/** One table an owner, from the code's own list of variables. */
export function variablesPage(): string {
  const sections = Object.entries(owners).map(([owner, title]) => {
    const more = furtherOf(owner as VariableOwner);
    const listed = [...variables, ...ownVariables].filter((variable) => variable.owner === owner);
    return `## ${title}\n\n${variableTable(listed)}${more}`;
  });
  return `# Environment variables\n\nA boolean is true with \`1\`, \`t\`, \`T\`, \`TRUE\`, \`true\` or \`True\`, and false with \`0\`, \`f\`, \`F\`, \`FALSE\`, \`false\` or \`False\`; the column "effect" says what true does. Durations are written as in Go: \`1m30s\`. The column "setting" has the name that \`pilot-agent proxy --print-config\` shows. The last column says what an invalid value causes: an error, or a warning and the default. If a variable is "refused", every value but the default stops the program. Written by \`make docs\` from \`src/config/variables.ts\` and \`src/config/own-variables.ts\`.\n\n${sections.join('\n\n')}\n`;
}

/** What a program reads besides the variables of its table. */
function furtherOf(owner: VariableOwner): string {
  if (owner === 'agent') return `\n\n${nodeVariables}`;
  if (owner === 'redirection') return `\n\n${flagVariables()}`;
  if (owner !== 'control-plane') return '';
  const further = serveVariables.filter(({ name }) => !variables.some((it) => it.name === name && it.owner === owner));
  const names = further.map(({ name }) => code(name)).sort();
  return `\n\n\`meshd serve\` also reads ${names.slice(0, -1).join(', ')} and ${names.at(-1)}: [its page](meshd-serve.md#environment) says what for.`;
}

const nodeVariables =
  "`MESH_META_<KEY>` (text) and `MESH_METAJSON_<ANY>` (the members of a JSON object) become metadata of Envoy's node; invalid JSON is an error.";

function variableTable(list: readonly Variable[]): string {
  const rows = list.map((variable) => {
    const { name, type, default: value, effect, setting } = variable;
    return [
      code(name),
      type,
      code(value),
      isRefused(variable) ? `${effect} (refused until it is supported)` : effect,
      setting === undefined ? '–' : code(setting),
      ofUnreadable(variable),
    ];
  });
  return table(['variable', 'type', 'default', 'effect', 'setting', 'invalid value'], rows);
}

/** No program obeys it yet: one that would have to refuses any value but the default. */
function isRefused({ name, owner }: Variable): boolean {
  if (owner === 'control-plane') return !serveVariables.some((supported) => supported.name === name);
  return unsupportedVariables({ [name]: 'asked for' }).length > 0;
}

/** Texts whose readers come after those of the variables: what they cannot read is a wrong use. */
const readLater: readonly string[] = ['MESH_APP_PROBERS', 'MESH_METRICS_ANNOTATIONS', 'PLUGINS'];

function ofUnreadable(variable: Variable): string {
  const { name, type, security } = variable;
  const isOfCompilingAgents = countingVariables({ [name]: '?' }, 'meshd:15012')[name] === undefined;
  if (isOfCompilingAgents) return 'error; if the configuration comes from `meshd`: warning, no effect';
  if (security || isRefused(variable) || readLater.includes(name)) return 'error';
  const bag = new DiagnosticBag();
  readAgentSettings({ [name]: '?' }, bag);
  return type === 'string' && bag.all.length === 0 ? '–' : 'warning, default';
}

/** Every flag of redirection has a variable, which counts when the flag is not given; nothing in them is guessed at. */
function flagVariables(): string {
  const rows = redirectFlags.map((flag) => [
    code(variableOf(flag.name)),
    code(`--${flag.name}`),
    code('usual' in flag ? flag.usual : flag.name === 'restore-format' ? 'true' : 'false'),
  ]);
  return `These are read too, each if its flag is not given; an invalid value is an error:\n\n${table(['variable', 'flag', 'default'], rows)}`;
}
