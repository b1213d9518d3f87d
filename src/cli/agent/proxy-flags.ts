import type { Command } from 'commander';
import { agentVariables } from '../../config/agent-variables.ts';
import { ownVariables } from '../../config/own-variables.ts';
import { collectPath, filledText, parseNamespace, parsePath, parseTrustDomain, rootDefault } from '../options.ts';
import { componentLevels, envoyLogLevels } from './component-levels.ts';
import { choiceOf, portNumber, threadCount } from './values.ts';

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
  return `\nEnvironment variables (docs/reference/variables.md also lists those that change compiled output):\n${lines.join('')}`;
}

function addWorkloadFlags(command: Command): void {
  command
    .optionsGroup('Workload:')
    .option(
      '--id <name.namespace>',
      'workload that the proxy serves (default: POD_NAME.POD_NAMESPACE) [POD_NAME, POD_NAMESPACE]',
      '',
    )
    .option(
      '--ip <address>',
      "address of the proxy (default: the workload's address in the inputs) [INSTANCE_IP]",
      filledText,
      '',
    )
    .option('--domain <suffix>', 'DNS domain of the proxy (default: POD_NAMESPACE.svc.cluster.local)', '')
    .option(
      '--serviceCluster <name>',
      "service cluster of Envoy's node (default: mesh-proxy) [PROXY_CONFIG]",
      filledText,
    )
    .option(
      '--serviceregistry <platform>',
      'platform of the workload: Cluster, Catalog or Mock; decides the defaults of --id and --domain',
      choiceOf(registries),
      'Cluster',
    )
    .option(
      '--trust-domain <domain>',
      'trust domain of identities (default: trustDomain of the mesh configuration, else cluster.local) [TRUST_DOMAIN]',
      parseTrustDomain,
    );
}

function addConfigurationFlags(command: Command): void {
  command
    .optionsGroup('Configuration:')
    .option(
      '--policies <path...>',
      'files and folders with policies and topology; the same as configSources with fs:// in the mesh configuration',
      collectPath,
    )
    .option(
      '--root-namespace <name>',
      `namespace whose policies apply to the whole mesh ${rootDefault}`,
      parseNamespace,
    )
    .option(
      '--meshConfig <file>',
      'mesh configuration; the default file may be absent (default: ./etc/mesh/config/mesh)',
      parsePath,
    )
    .option(
      '--templateFile <path>',
      'bootstrap template, or a folder whose templates replace those of the same name (default: none) [overridden by MESH_BOOTSTRAP]',
      parsePath,
    )
    .option(
      '--configPath <folder>',
      "folder for Envoy's configuration, which the agent writes (default: ./etc/mesh/proxy)",
      filledText,
    )
    .option('--print-config', 'print every effective setting with its source, and start nothing')
    .option(
      '-o, --output <form>',
      'format of --print-config: yaml or json (default: yaml)',
      choiceOf({ yaml: 'yaml', json: 'json' }),
    );
}

function addCertificateFlags(command: Command): void {
  command
    .optionsGroup('Certificates:')
    .option('--stsPort <port>', 'loopback port of the token exchange server (STS); 0: no server', portNumber, 0)
    .option(
      '--tokenManagerPlugin <name>',
      'token exchange that the STS server uses',
      choiceOf(tokenPlugins),
      'CloudTokenExchange',
    )
    .option('--mixerIdentity <name>', 'accepted without effect, as in Istio (default: none)', '')
    .option('--pilotIdentity <name>', 'accepted without effect, as in Istio (default: none)', '');
}

function addEnvoyFlags(command: Command): void {
  command
    .optionsGroup('Envoy:')
    .option(
      '--proxyBinary <file>',
      'Envoy binary to run (default: .tools/bin/envoy, else envoy in PATH) [ENVOY_BINARY]',
      parsePath,
    )
    .option(
      '--concurrency <threads>',
      "Envoy's worker threads, at most 1024; 0: the concurrency of the ProxyConfig",
      threadCount,
      0,
    )
    .option(
      '--proxyLogLevel <level>',
      `Envoy's log level: ${envoyLogLevels.join(', ')}`,
      choiceOf(same(envoyLogLevels)),
      'warning',
    )
    .option(
      '--proxyComponentLogLevel <levels>',
      "log levels of Envoy's components, as name:level,name:level",
      componentLevels,
      'misc:error',
    )
    .option('--outlierLogPath <path>', 'file for the log of outlier detection (default: none)', parsePath);
}

function addLifeFlags(command: Command): void {
  command
    .optionsGroup('Life cycle:')
    .option(
      '--restartPolicy <policy>',
      'whether the agent restarts an Envoy that exited on its own: never, on-failure or always (default: never) [MESH_RESTART_POLICY]',
      choiceOf(same(['never', 'on-failure', 'always'])),
    )
    .option('--disableInternalTelemetry', 'accepted without effect: there is no internal telemetry (default: off)');
}

function same<T extends string>(names: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, name])) as Record<string, T>;
}
