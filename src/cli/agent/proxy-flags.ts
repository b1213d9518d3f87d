import type { Command } from 'commander';
import { agentVariables } from '../../config/agent-variables.ts';
import { ownVariables } from '../../config/own-variables.ts';
import { parseNamespace, rootDefault } from '../options.ts';
import { componentLevels, envoyLogLevels } from './component-levels.ts';
import { choiceOf, filledText, portNumber, threadCount } from './values.ts';

/** What exchanges tokens: ours, and what Istio calls it. */
const tokenPlugins = { CloudTokenExchange: 'CloudTokenExchange', GoogleTokenExchange: 'CloudTokenExchange' };

/** Service registries, with the names that Istio has for two of them. */
const registries = { Cluster: 'Cluster', Catalog: 'Catalog', Mock: 'Mock', Kubernetes: 'Cluster', Consul: 'Catalog' };

/** Adds the flags of `proxy`, the specification's and ours, in groups; a variable in [brackets] counts without the flag. */
export function addProxyFlags(command: Command): Command {
  for (const add of [addWorkloadFlags, addConfigurationFlags, addCertificateFlags, addEnvoyFlags, addLifeFlags])
    add(command);
  return command.addHelpText('after', environmentHelp);
}

/** What the agent alone reads; a flag that is given overrides its variable. */
function environmentHelp(): string {
  const list = [...agentVariables, ...ownVariables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const width = Math.max(...list.map(({ name }) => name.length));
  const lines = list.map(({ name, effect }) => `  ${name.padEnd(width)}  ${effect}\n`);
  return `\nEnvironment variables (docs/reference/variables.md has more, and those that change compiled output):\n${lines.join('')}`;
}

function addWorkloadFlags(command: Command): void {
  command
    .optionsGroup('Workload:')
    .option('--id <name.namespace>', 'the workload (default: POD_NAME.POD_NAMESPACE) [POD_NAME, POD_NAMESPACE]', '')
    .option(
      '--ip <address>',
      "address of the proxy (default: the workload's in the inputs) [INSTANCE_IP]",
      filledText,
      '',
    )
    .option('--domain <suffix>', 'DNS domain of the proxy (default: POD_NAMESPACE.svc.cluster.local)', '')
    .option('--serviceCluster <name>', 'service cluster (default: mesh-proxy) [PROXY_CONFIG]')
    .option(
      '--serviceregistry <platform>',
      'where workloads are registered: Cluster, Catalog or Mock; decides what --id and --domain are by default',
      choiceOf(registries),
      'Cluster',
    )
    .option('--trust-domain <domain>', 'domain of identities (default: cluster.local) [TRUST_DOMAIN]', filledText);
}

function addConfigurationFlags(command: Command): void {
  command
    .optionsGroup('Configuration:')
    .option('--policies <path...>', 'files and folders of policies and topology; short for configSources fs://')
    .option(
      '--root-namespace <name>',
      `namespace whose policies hold for the whole mesh ${rootDefault}`,
      parseNamespace,
    )
    .option(
      '--meshConfig <file>',
      'mesh configuration; may be absent at its default place (default: ./etc/mesh/config/mesh)',
    )
    .option(
      '--templateFile <path>',
      'a bootstrap template, or a folder of templates that replace ours by name (default: none) [overridden by MESH_BOOTSTRAP]',
    )
    .option(
      '--configPath <folder>',
      'folder of the configuration that Envoy reads (default: ./etc/mesh/proxy)',
      filledText,
    )
    .option('--print-config', 'print every effective setting and where it comes from, and start nothing')
    .option(
      '-o, --output <form>',
      'form of --print-config: yaml or json (default: yaml)',
      choiceOf({ yaml: 'yaml', json: 'json' }),
    );
}

function addCertificateFlags(command: Command): void {
  command
    .optionsGroup('Certificates:')
    .option('--stsPort <port>', 'port of the token service on loopback; 0: none', portNumber, 0)
    .option(
      '--tokenManagerPlugin <name>',
      'what the token service asks for tokens',
      choiceOf(tokenPlugins),
      'CloudTokenExchange',
    )
    .option('--mixerIdentity <name>', 'accepted, without effect as in Istio (default: none)', '')
    .option('--pilotIdentity <name>', 'accepted, without effect as in Istio (default: none)', '');
}

function addEnvoyFlags(command: Command): void {
  command
    .optionsGroup('Envoy:')
    .option('--proxyBinary <file>', 'the Envoy to run (default: .tools/bin/envoy, then PATH) [ENVOY_BINARY]')
    .option('--concurrency <threads>', 'worker threads, at most 1024; 0 leaves it to the configuration', threadCount, 0)
    .option(
      '--proxyLogLevel <level>',
      `log level: ${envoyLogLevels.join(', ')}`,
      choiceOf(same(envoyLogLevels)),
      'warning',
    )
    .option(
      '--proxyComponentLogLevel <levels>',
      'log levels of components: name:level,…',
      componentLevels,
      'misc:error',
    )
    .option('--outlierLogPath <path>', 'log of outlier detection (default: none)');
}

function addLifeFlags(command: Command): void {
  command
    .optionsGroup('Life cycle:')
    .option(
      '--restartPolicy <policy>',
      'when an Envoy that ended by itself is started again: never, on-failure or always (default: never) [MESH_RESTART_POLICY]',
      choiceOf(same(['never', 'on-failure', 'always'])),
    )
    .option('--disableInternalTelemetry', 'accepted; there is no internal telemetry to disable (default: off)');
}

function same<T extends string>(names: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, name])) as Record<string, T>;
}
