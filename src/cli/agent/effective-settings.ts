import type { AgentSettings } from '../../config/agent-settings.ts';
import { redactValue } from '../../config/redact.ts';
import type { SettingOrigin, Settings } from '../../config/settings.ts';

/** A flag with the value that it has, given or not. */
export interface FlagValue {
  /** `--concurrency`. */
  readonly name: string;
  readonly value: unknown;
  readonly isGiven: boolean;
}

/** Everything that was settled before anything is started. */
export interface EffectiveSettings {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly flags: readonly FlagValue[];
}

/** Flags that are shown as the settings that they are a part of. */
const settingFlags: ReadonlySet<string> = new Set([
  '--concurrency',
  '--configPath',
  '--outlierLogPath',
  '--root-namespace',
  '--serviceCluster',
  '--stsPort',
  '--trust-domain',
]);

/** One setting as it is shown; secrets are left out of its value. */
interface Entry {
  readonly name: string;
  readonly value: unknown;
  /** `default`, `flag --id`, `variable X`, `annotation x`, or `file:line`. */
  readonly origin: string;
}

/** Every setting with its origin, sorted: YAML with the origins as comments, or JSON with `{value, origin}` each. */
export function formatEffective(effective: EffectiveSettings, form: 'yaml' | 'json'): string {
  const sections = sectionsOf(effective);
  return form === 'json' ? jsonForm(sections) : yamlForm(sections);
}

function sectionsOf({ settings, agent, flags }: EffectiveSettings): Readonly<Record<string, readonly Entry[]>> {
  const { proxy, origins, ...mesh } = settings;
  return {
    mesh: entries(mesh, origins),
    proxy: entries(proxy, origins, 'proxy.'),
    agent: entries(agentValues(agent), agent.origins),
    flags: sorted(
      flags
        .filter(({ name }) => !settingFlags.has(name))
        .map(({ name, value, isGiven }) => ({
          name,
          value: redactValue(value),
          origin: isGiven ? (name.startsWith('--') ? `flag ${name}` : 'argument') : 'default',
        })),
    ),
  };
}

/** The agent's settings by their paths (`authority.address`); what variables hold as JSON is shown parsed. */
function agentValues({ origins, ...agent }: AgentSettings): Readonly<Record<string, unknown>> {
  const flat = Object.entries(agent).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (typeof value !== 'object' || Array.isArray(value)) return [[key, value]];
    return Object.entries(value).map(([inner, it]) => [`${key}.${inner}`, it]);
  });
  const texts = { appProbers: parsed(agent.appProbers), metricsAnnotations: parsed(agent.metricsAnnotations) };
  return { ...Object.fromEntries(flat), ...texts };
}

function parsed(text: string | undefined): unknown {
  if (!text) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Its reader says what is wrong; whatever it is, it may hold a secret.
    return '[no JSON]';
  }
}

function entries(values: object, origins: Readonly<Record<string, SettingOrigin>>, prefix = ''): readonly Entry[] {
  return sorted(
    Object.entries(values).map(([name, value]) => ({
      name,
      value: redactValue(value),
      origin: originText(origins[prefix + name]),
    })),
  );
}

function originText(origin: SettingOrigin | undefined): string {
  switch (origin?.source) {
    case undefined:
    case 'default':
      return 'default';
    case 'flag':
    case 'variable':
      return `${origin.source} ${origin.detail.replace('$', '')}`;
    case 'annotation':
    case 'file':
      return origin.detail;
  }
}

function sorted(list: readonly Entry[]): readonly Entry[] {
  return [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Columns before which origins stand, where their settings are short enough. */
const originColumn = 60;

/** JSON is YAML too: values need no other quotes than its own. */
function yamlForm(sections: Readonly<Record<string, readonly Entry[]>>): string {
  const line = ({ name, value, origin }: Entry): string =>
    `${`  ${name}: ${JSON.stringify(value ?? null)}`.padEnd(originColumn)}  # ${origin}\n`;
  return Object.entries(sections)
    .map(([title, list]) => `${title}:\n${list.map(line).join('')}`)
    .join('');
}

function jsonForm(sections: Readonly<Record<string, readonly Entry[]>>): string {
  const fields = (list: readonly Entry[]): object =>
    Object.fromEntries(list.map(({ name, value, origin }) => [name, { value: value ?? null, origin }]));
  const shown = Object.fromEntries(Object.entries(sections).map(([title, list]) => [title, fields(list)]));
  return `${JSON.stringify(shown, null, 2)}\n`;
}
