import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SettingsDraft } from './draft.ts';
import { ownVariables } from './own-variables.ts';
import { redactText } from './redact.ts';
import type { SettingOrigin, Settings } from './settings.ts';
import {
  type ParsedVariable,
  parseBoolean,
  parseChoice,
  parseDurationVariable,
  parseFloat64,
  parseWholeNumber,
  type Variable,
} from './variable.ts';
import { variables } from './variables.ts';

/** Environment as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Network filters that a stock Envoy does not have; asking for one is refused, never ignored. */
const refusedWhenTrue: Readonly<Record<string, string>> = {
  PILOT_ENABLE_RELATIONALDB_FILTER: 'a stock Envoy has no filter for that protocol',
};

/** Lays the variables that change compiled output over the draft (specification, "Limits"). */
export function applyEnvironment(draft: SettingsDraft, environment: Environment, bag: DiagnosticBag): void {
  for (const variable of [...variables, ...ownVariables]) {
    const text = environment[variable.name];
    if (text === undefined || variable.owner !== 'compiler') continue;
    const reason = refusedWhenTrue[variable.name];
    if (reason !== undefined) refuse(variable, text, reason, bag);
    else if (variable.name !== 'PROXY_CONFIG') apply(draft, variable, text, bag);
  }
  // The agent's variable: that it opens a port concerns what its Envoy may dial.
  if (environment.DNS_AGENT) draft.setProxy('servesDns', true, { source: 'variable', detail: 'DNS_AGENT' });
}

/** Reads one variable by its declared type; reports what cannot be read and gives undefined. */
function readVariable(variable: Variable, text: string, bag: DiagnosticBag): string | number | boolean | undefined {
  const parsed = parse(variable, text);
  if (parsed.ok) return parsed.value;
  const value = redactText(text);
  if (variable.security) {
    bag.report('invalid-variable', undefined, { name: variable.name, value, expected: parsed.expected });
  } else {
    bag.report('ignored-variable', undefined, {
      name: variable.name,
      value,
      expected: parsed.expected,
      default: variable.default === '' ? 'empty' : variable.default,
    });
  }
  return undefined;
}

function apply(draft: SettingsDraft, variable: Variable, text: string, bag: DiagnosticBag): void {
  const origin: SettingOrigin = { source: 'variable', detail: variable.name };
  const value = readVariable(variable, text, bag);
  if (value === undefined || variable.setting === undefined) return;
  switch (variable.name) {
    case 'TERMINATION_DRAIN_DURATION_SECONDS':
      draft.setProxy('terminationDrainDurationMs', Number(value) * 1000, origin);
      return;
    case 'MESH_TERMINATION_DRAIN':
      if (value !== '') draft.setProxy('terminationDrain', value === 'graceful' ? 'graceful' : 'plain', origin);
      return;
    case 'MESH_META_INTERCEPTION_MODE':
    case 'INTERCEPTION_MODE':
      if (value !== '') draft.setProxy('interceptionMode', value === 'TPROXY' ? 'TPROXY' : 'REDIRECT', origin);
      return;
    case 'TRUST_DOMAIN':
      if (value !== '') draft.set('trustDomain', String(value), origin);
      return;
    default:
      draft.set(variable.setting as keyof Settings, value as never, origin);
  }
}

function parse(variable: Variable, text: string): ParsedVariable<string | number | boolean> {
  switch (variable.type) {
    case 'boolean':
      return parseBoolean(text);
    case 'integer':
      return parseWholeNumber(text);
    case 'float':
      return variable.name === 'PILOT_TRACE_SAMPLING' ? parsePercent(text) : parseFloat64(text);
    case 'duration':
      return parseDurationVariable(text);
    case 'string':
      return variable.values === undefined ? { ok: true, value: text } : parseChoice(text, variable.values);
  }
}

function parsePercent(text: string): ParsedVariable<number> {
  const parsed = parseFloat64(text);
  return parsed.ok && parsed.value >= 0 && parsed.value <= 100
    ? parsed
    : { ok: false, expected: 'a percentage from 0.0 to 100.0' };
}

function refuse(variable: Variable, text: string, reason: string, bag: DiagnosticBag): void {
  const value = readVariable({ ...variable, security: true }, text, bag);
  if (value === true) bag.report('unsupported-variable', undefined, { name: variable.name, reason });
}
