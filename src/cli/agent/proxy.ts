import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../agent/agent-config.ts';
import { type ContainerLimits, readContainerLimits } from '../../agent/bootstrap/container-limits.ts';
import { workerThreads } from '../../agent/bootstrap/worker-threads.ts';
import { checkEnvoy } from '../../agent/check-envoy.ts';
import { EnvoyCheck } from '../../agent/envoy-check.ts';
import type { Log } from '../../agent/log/log.ts';
import { AgentMetrics } from '../../agent/metrics/metrics.ts';
import type { ValidateConfig } from '../../agent/reload/reload.ts';
import { runAgent } from '../../agent/run.ts';
import type { AgentSettings, LifeSettings } from '../../config/agent-settings.ts';
import { readSettings, type SettingsOptions } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import type { ProxySettings, Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { type AskedEnvoy, askableEnvoy } from '../../envoy/ask-envoy.ts';
import { formatVersion } from '../../envoy/read-version.ts';
import { validateConfig } from '../../envoy/validate.ts';
import { version } from '../../lib/version.ts';
import { findOwnAddresses, proxyAddresses } from '../../live/own-addresses.ts';
import { readTproxyFacts } from '../../redirect/tproxy-routing.ts';
import { locateEnvoy } from './asked-envoy.ts';
import { authorityOf } from './authority.ts';
import { type BootstrapChoice, chooseBootstrap } from './bootstrap-choice.ts';
import type { PolicyPaths } from './compiled-source.ts';
import { unknownComponents } from './component-levels.ts';
import type { ConfigurationSource, SourceParts } from './configuration-source.ts';
import { countingVariables, discoveryAddressOf, unusedVariables } from './discovery.ts';
import { dnsConfigOf } from './dns-config.ts';
import { lifeConfigOf } from './life-options.ts';
import { locateProxy } from './locate.ts';
import { type LogFlags, openLog } from './log-options.ts';
import { inputsOf, policiesOf } from './policy-inputs.ts';
import type { ProgramContext } from './program-context.ts';
import { refuseUnsupported } from './refuse.ts';
import { checkRole } from './role.ts';
import { defaultMeshConfig, podInfo, type SettingsFlagValues, settingsOptionsOf } from './settings-options.ts';
import { statusSettingsOf } from './status-settings.ts';
import { tokenServiceOf, withTokenExchange } from './token-service.ts';
import { type IdentityFlags, identifyProxy } from './workload.ts';

/** The flags of `proxy` as the parser gives them. */
interface ProxyFlags extends LogFlags, SettingsFlagValues, IdentityFlags {
  readonly mixerIdentity?: string;
  readonly pilotIdentity?: string;
  readonly disableInternalTelemetry?: boolean;
  readonly proxyComponentLogLevel: string;
  readonly proxyLogLevel: string;
  readonly templateFile?: string;
  readonly policies?: readonly string[];
  readonly proxyBinary?: string;
  readonly stsPort: number;
  readonly restartPolicy?: LifeSettings['restartPolicy'];
}

/** Runs `pilot-agent proxy`: settles everything that flags and variables say, then hands over to the agent. */
export async function runProxy(
  role: string,
  options: object,
  context: ProgramContext,
  early?: AskedEnvoy,
): Promise<number> {
  const { environment, signals } = context;
  checkRole(role);
  refuseUnsupported(environment);
  const flags = options as ProxyFlags;
  const { log, reopen, onLost } = openLog(flags, context.warnings);
  // What is wrong with them is told before anything is read.
  identifyProxy(flags, environment);
  tellAccepted(flags, log);
  for (const warning of unknownComponents(flags.proxyComponentLogLevel)) log.warn(warning);
  const policies = policiesOf(flags.policies);

  const settingsOptions = settingsOptionsOf(flags, environment);
  const settings = await settingsOf(settingsOptions, log);
  if (settings === undefined) return 1;
  const discoveryAddress = discoveryAddressOf(policies, settings, environment);
  const agent = agentSettingsOf(countingVariables(environment, discoveryAddress), log);
  if (agent === undefined) return 1;
  if (discoveryAddress !== undefined) for (const warning of unusedVariables(environment)) log.warn(warning);
  const inputs = discoveryAddress === undefined ? inputsOf(policies, settings) : [];
  const envoyBinary = locateEnvoy(flags.proxyBinary ?? (settings.proxy.binaryPath || undefined), environment);
  const asked = early?.binary === envoyBinary ? early : askableEnvoy(envoyBinary);
  const envoyCheck = new EnvoyCheck(() => checkEnvoy(asked, log));
  // A client of meshd has Envoy started before there is time for its answer.
  if (discoveryAddress === undefined) envoyCheck.begin();
  const ownAddresses = (): Promise<readonly string[]> => addressesOfMachine(signals.stop, log);
  const identity = await locateProxy({ flags, environment, settings, inputs, ownAddresses });
  const bootstrap = chooseBootstrap(agent, flags.templateFile, settings.proxy, podInfo);
  if (bootstrap.unused !== '') log.info('templates that are not used', { named: bootstrap.unused });
  const watched = [flags.meshConfig ?? defaultMeshConfig, join(podInfo, 'annotations'), ...bootstrap.watched];
  const limits = readContainerLimits();
  const config = agentConfigOf(role, flags, settings.proxy, agent, { envoyBinary, bootstrap, limits });
  const status = statusSettingsOf(role, agent, settings, identity);
  const dns = dnsConfigOf(agent, settings, identity.domain, log);
  if (signals.stop.aborted) return 0;
  const metrics = new AgentMetrics(version);
  onLost(() => metrics.count('mesh_agent_log_lines_lost_total'));
  const cloud = { agent, settings, outgoing: metrics.outgoing };
  const validate: ValidateConfig = (json, signal = signals.stop) =>
    validateConfig(envoyBinary, json, { folder: config.configPath, signal });
  const authority = withTokenExchange(
    authorityOf(agent, settings, { namespace: identity.namespace, discoveryAddress }, log),
    cloud,
  );
  const source = await openSource(
    { discoveryAddress, asked, paths: { policies, inputs, watched } },
    {
      ...{ agent, settings, settingsOptions, identity, role, bootstrap, limits, authority, ownAddresses, validate },
      ...{ metrics, log },
    },
  );
  try {
    return await runAgent({
      config: { ...config, namespace: identity.namespace, dns, authority },
      ...source,
      envoyCheck,
      validate,
      metrics: () => metrics.text(),
      status,
      tokenService: tokenServiceOf(flags.stsPort, proxyAddresses(identity.ip), cloud),
      observers: metrics,
      ...{ signals, readInterception: readTproxyFacts },
      reopenLogs: reopen,
      saveMemory: context.saveMemory,
      log,
    });
  } finally {
    await source.close();
  }
}

/** Which source of configuration there is. */
interface SourceChoice {
  /** Undefined: the policies are compiled here. */
  readonly discoveryAddress: string | undefined;
  readonly asked: AskedEnvoy;
  readonly paths: PolicyPaths;
}

/** The compiler is loaded where it is needed: it is most of the agent's code. */
async function openSource(
  { discoveryAddress, asked, paths }: SourceChoice,
  parts: SourceParts,
): Promise<ConfigurationSource> {
  if (discoveryAddress === undefined) {
    const { openCompiledSource } = await import('./compiled-source.ts');
    return openCompiledSource(paths, parts);
  }
  const { openDiscoveredSource } = await import('./discovered-source.ts');
  return openDiscoveredSource(discoveryAddress, async () => formatVersion(await asked.version()), parts);
}

/** Mesh and proxy configuration with what lies over them; undefined after their mistakes were logged. */
async function settingsOf(options: SettingsOptions, log: Log): Promise<Settings | undefined> {
  const bag = new DiagnosticBag();
  const { settings, sources, hasAnnotations } = await readSettings(options, bag);
  if (!hasAnnotations) log.debug('the pod has no file of annotations', { folder: podInfo });
  if (!bag.hasErrors) return settings;
  const explained = format(bag.all, sources, 'text').trimEnd();
  log.error(`the settings are invalid, Envoy is not started:\n${explained}`);
  return undefined;
}

/** What the variables say to the agent; undefined after their mistakes were logged. */
function agentSettingsOf(environment: ProgramContext['environment'], log: Log): AgentSettings | undefined {
  const bag = new DiagnosticBag();
  const agent = readAgentSettings(environment, bag);
  const explained = format(bag.all, [], 'text').trimEnd();
  if (bag.hasErrors) log.error(`the environment is invalid, Envoy is not started:\n${explained}`);
  else if (explained !== '') log.warn(explained);
  return bag.hasErrors ? undefined : agent;
}

/** Flags of the specification that have no effect: nobody shall wait for one. */
function tellAccepted(flags: ProxyFlags, log: Log): void {
  for (const key of ['mixerIdentity', 'pilotIdentity', 'disableInternalTelemetry'] as const) {
    if (flags[key]) log.info('flag is accepted and has no effect', { flag: `--${key}` });
  }
}

function addressesOfMachine(signal: AbortSignal, log: Log): Promise<readonly string[]> {
  const onWait = (): void => log.info('waiting for a network interface that has an address');
  return findOwnAddresses({ signal, onWait });
}

/** What the agent's own surroundings say, beside flags, mesh configuration and variables. */
interface Surroundings {
  readonly envoyBinary: string;
  readonly bootstrap: BootstrapChoice;
  readonly limits: ContainerLimits;
}

function agentConfigOf(
  role: AgentConfig['role'],
  flags: ProxyFlags,
  proxy: ProxySettings,
  agent: AgentSettings,
  { envoyBinary, bootstrap, limits }: Surroundings,
): AgentConfig {
  return {
    configPath: proxy.configPath,
    envoyBinary,
    role,
    statusPort: proxy.statusPort,
    drainDurationMs: proxy.drainDurationMs,
    terminationDrainMs: proxy.terminationDrainDurationMs,
    terminationDrain: proxy.terminationDrain,
    concurrency: workerThreads({
      configured: proxy.concurrency,
      cpuLimit: agent.cpuLimit,
      containerCpus: limits.cpus,
      processors: availableParallelism(),
    }),
    logsAsJson: flags.log_as_json === true,
    proxyLogLevel: flags.proxyLogLevel,
    proxyComponentLogLevel: flags.proxyComponentLogLevel,
    identityFolder: agent.certificates.provisionedFolder,
    outputFolder: agent.certificates.outputFolder,
    staleCheckMs: agent.secrets.staleCheckMs,
    resyncMs: agent.secrets.resyncMs,
    mustValidateFirst: bootstrap.mustValidate,
    ...lifeConfigOf(flags, agent.life),
    ...agent.reload,
  };
}
