import { isMeshSetting } from '../../src/config/mesh-config.ts';
import { isProxySetting } from '../../src/config/proxy-config.ts';
import { securityConsequences } from '../../src/config/unused-settings.ts';
import { typeTable } from './kinds-page.ts';
import { code, table } from './markdown.ts';
import { type SchemaField, schemaFields } from './schema-fields.ts';

const introduction = `# Mesh configuration and ProxyConfig

Written by \`make docs\` from \`schemas/mesh-config.json\` and \`schemas/proxy-config.json\`.

The mesh configuration is one YAML or JSON document without \`apiVersion\` and \`kind\`. Every command that compiles
policies or injects proxies reads it from \`--meshConfig\`. Without that option, \`pilot-agent proxy\` and \`meshd serve\` read
\`./etc/mesh/config/mesh\`, if it exists. Its field \`defaultConfig\` is a ProxyConfig: the settings of single proxies. The variable \`PROXY_CONFIG\` and the annotation
\`proxy.mesh.io/config\` of a pod hold a ProxyConfig too, and override it field by field. The object of kind
[ProxyConfig](kinds.md#proxyconfig) has fields of its own: the number of threads, and variables
([precedence](pilot-agent-proxy.md#settings-and-where-they-come-from)).

\`\`\`yaml
trustDomain: example.org
accessLogFile: /dev/stdout
defaultConfig:
  concurrency: 2
  terminationDrainDuration: 20s
\`\`\`

\`pilot-agent proxy --print-config\` prints every effective setting and its source. An unknown field is an error.
`;

/** Every setting of the mesh configuration and of ProxyConfig with its default, and those without effect. */
export function meshConfigurationPage(): string {
  const mesh = schemaFields('mesh-config').filter(({ path }) => !path.startsWith('defaultConfig'));
  const proxy = schemaFields('proxy-config');
  return [
    introduction,
    `## Mesh configuration\n\n${settingsTable(mesh, isMeshSetting)}\n`,
    `## ProxyConfig\n\n${settingsTable(proxy, isProxySetting)}\n`,
    `## Types\n\n${typeTable([...mesh, ...proxy])}\n`,
    `## Accepted without effect\n\n${withoutEffect(mesh, proxy)}\n`,
  ].join('\n');
}

function settingsTable(fields: readonly SchemaField[], isUsed: (field: string) => boolean): string {
  const used = fields.filter(
    ({ path, unsupported, description }) =>
      isUsed(rootOf(path)) && unsupported === undefined && !isWithoutEffect(description),
  );
  return table(
    ['field', 'type', 'default', 'description'],
    used.map(({ path, type, default: value, description }) => [
      code(path),
      type,
      value === undefined ? '–' : code(typeof value === 'string' ? value || '""' : JSON.stringify(value)),
      description || '–',
    ]),
  );
}

function isWithoutEffect(description: string): boolean {
  return /without effect/i.test(description);
}

function withoutEffect(mesh: readonly SchemaField[], proxy: readonly SchemaField[]): string {
  const rows = [
    ...unusedOf(mesh, isMeshSetting).map((field) => [code(field), consequenceOf(field)]),
    ...unusedPartsOf(mesh, isMeshSetting).map((path) => [code(path), consequenceOf(path.split('.').at(-1) ?? path)]),
    ...unusedOf(proxy, isProxySetting).map((field) => [code(`defaultConfig.${field}`), consequenceOf(field)]),
  ];
  return `These settings of Istio are accepted and have no effect. Each one that concerns security causes a warning
(\`security-setting-without-effect\`), which says what applies instead; all others together cause one (\`settings-without-effect\`).\n\n${table(['field', 'what applies instead'], rows)}`;
}

function unusedOf(fields: readonly SchemaField[], isUsed: (field: string) => boolean): readonly string[] {
  return [...new Set(fields.map(({ path }) => rootOf(path)))].filter((field) => !isUsed(field));
}

/** Paths below settings that have an effect. */
function unusedPartsOf(fields: readonly SchemaField[], isUsed: (field: string) => boolean): readonly string[] {
  return fields
    .filter(({ path, description }) => isUsed(rootOf(path)) && isWithoutEffect(description))
    .map(({ path }) => path);
}

function consequenceOf(field: string): string {
  return Object.hasOwn(securityConsequences, field) ? (securityConsequences[field] ?? '–') : '–';
}

function rootOf(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path;
}
