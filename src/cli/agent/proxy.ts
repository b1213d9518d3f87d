import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentConfig } from '../../agent/agent-config.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Log } from '../../agent/log/log.ts';
import { AgentMetrics } from '../../agent/metrics/metrics.ts';
import { runAgent } from '../../agent/run.ts';
import type { AgentSettings, LifeSettings } from '../../config/agent-settings.ts';
import type { SettingsOptions } from '../../config/read.ts';
import { readSettings } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import type { ProxySettings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { findEnvoy } from '../../envoy/process.ts';
import { validateConfig } from '../../envoy/validate.ts';
import { gateVersion, readVersion } from '../../envoy/version.ts';
import { UsageError } from '../failure.ts';
import { FetchedKeySets } from '../key-sets/remote.ts';
import { version } from '../version.ts';
import { createCompileProxy, folderSources } from './compile-proxy.ts';
import { lifeConfigOf } from './life-options.ts';
import { type LogFlags, logOf } from './log-options.ts';
import type { ProgramContext } from './pilot-agent.ts';
import { refuseUnsupported } from './refuse.ts';
import { identifyProxy } from './workload.ts';

/** The flags of `proxy` as the parser gives them. */
interface ProxyFlags extends LogFlags {
  readonly concurrency: number;
  readonly domain: string;
  readonly id: string;
  readonly ip: string;
  readonly meshConfig?: string;
  readonly outlierLogPath?: string;
  readonly proxyComponentLogLevel: string;
  readonly proxyLogLevel: string;
  readonly serviceCluster?: string;
  readonly templateFile?: string;
  readonly trustDomain?: string;
  readonly policies?: readonly string[];
  readonly configPath?: string;
  readonly proxyBinary?: string;
  readonly restartPolicy?: LifeSettings['restartPolicy'];
}

const defaultMeshConfig = './etc/mesh/config/mesh';
/** Where the kubelet writes labels and annotations of the pod. */
const podInfo = './etc/mesh/pod';

/** Runs `pilot-agent proxy`: settles everything that flags and variables say, then hands over to the agent. */
export async function runProxy(role: string, options: object, context: ProgramContext): Promise<number> {
  const { environment, signals } = context;
  checkRole(role);
  refuseUnsupported(options as Readonly<Record<string, unknown>>, environment);
  const flags = options as ProxyFlags;
  const log = logOf(flags);
  const identity = identifyProxy(flags, environment);
  const policies = flags.policies ?? [];
  if (policies.includes('-'))
    throw new UsageError('--policies: standard input cannot be followed; name files or folders');

  const said = new DiagnosticBag();
  const agent = readAgentSettings(environment, said);
  const explained = format(said.all, [], 'text').trimEnd();
  if (said.hasErrors) {
    log.error(`the environment is invalid, Envoy is not started:\n${explained}`);
    return 1;
  }
  if (explained !== '') log.warn(explained);
  const settingsOptions = settingsOf(flags, environment);
  const bag = new DiagnosticBag();
  const { settings, sources, hasAnnotations } = await readSettings(settingsOptions, bag);
  if (bag.hasErrors) {
    log.error(
      `the mesh configuration is invalid, Envoy is not started:\n${format(bag.all, sources, 'text').trimEnd()}`,
    );
    return 1;
  }
  if (!hasAnnotations) log.debug('the pod has no file of annotations', { folder: podInfo });
  const inputs = [...policies, ...folderSources(settings)];
  if (inputs.length === 0)
    throw new UsageError('no policies: give --policies PATH, or configSources in the mesh configuration');
  // MESH_BOOTSTRAP beats the flag, as in the original.
  const templateFile = agent.bootstrapTemplate ?? (flags.templateFile || undefined);
  const config = await agentConfigOf(role, flags, settings.proxy, environment, agent, templateFile !== undefined);
  await checkVersion(config.envoyBinary, log);
  if (signals.stop.aborted) return 0;
  const metrics = new AgentMetrics(version);
  const onFetch = (isDone: boolean): void => metrics.countKeySetFetch(isDone);
  const keySets = new FetchedKeySets({ allowedHosts: settings.jwksAllowedHosts, log, onFetch });
  try {
    return await runAgent({
      config,
      compile: createCompileProxy({
        settings: settingsOptions,
        policies,
        templateFile,
        identity,
        role,
        keySets,
        onFigures: (figures) => metrics.showFigures(figures),
        fallbackSecret: agent.secrets.fallbackSecret,
      }),
      validate: (json) => validateConfig(config.envoyBinary, json),
      inputs: [
        ...inputs,
        settingsOptions.meshConfig?.path ?? defaultMeshConfig,
        join(podInfo, 'annotations'),
        ...(templateFile ? [templateFile] : []),
      ],
      onNews: (listener) => keySets.onChange(listener),
      metrics: () => metrics.text(),
      observers: metrics,
      signals,
      log,
    });
  } finally {
    keySets.close();
  }
}

function checkRole(role: string): asserts role is AgentConfig['role'] {
  if (role !== 'sidecar' && role !== 'router') {
    throw new UsageError(`the role is "sidecar" or "router", not "${role}"`);
  }
}

function settingsOf(flags: ProxyFlags, environment: ProgramContext['environment']): SettingsOptions {
  return {
    meshConfig: { path: flags.meshConfig ?? defaultMeshConfig, isRequired: flags.meshConfig !== undefined },
    environment,
    podInfo,
    flags: {
      trustDomain: flags.trustDomain,
      // 0 says nothing: the configuration's own value, or Envoy's, counts.
      concurrency: flags.concurrency === 0 ? undefined : flags.concurrency,
      serviceCluster: flags.serviceCluster,
      outlierLogPath: flags.outlierLogPath,
      configPath: flags.configPath,
    },
  };
}

async function agentConfigOf(
  role: AgentConfig['role'],
  flags: ProxyFlags,
  proxy: ProxySettings,
  environment: ProgramContext['environment'],
  agent: AgentSettings,
  mustValidateFirst: boolean,
): Promise<AgentConfig> {
  const proxyBinary = flags.proxyBinary ?? (proxy.binaryPath === '' ? undefined : proxy.binaryPath);
  return {
    configPath: proxy.configPath,
    envoyBinary: findEnvoy({ proxyBinary, env: environment, repositoryRoot: programRoot() }),
    role,
    statusPort: proxy.statusPort,
    drainDurationMs: proxy.drainDurationMs,
    terminationDrainMs: proxy.terminationDrainDurationMs,
    terminationDrain: proxy.terminationDrain,
    concurrency: proxy.concurrency,
    proxyLogLevel: flags.proxyLogLevel,
    proxyComponentLogLevel: flags.proxyComponentLogLevel,
    identityFolder: agent.certificates.provisionedFolder,
    mustValidateFirst,
    ...lifeConfigOf(flags, agent.life),
  };
}

async function checkVersion(binary: string, log: Log): Promise<void> {
  const version = await readVersion(binary).catch((cause) => {
    throw new AgentError('envoy-not-found', `"${binary}" is no Envoy`, { cause });
  });
  const gate = gateVersion(version);
  if (!gate.ok) throw new AgentError('envoy-too-old', gate.message);
  if (gate.warning !== undefined) log.warn(gate.warning);
}

/** The folder of the package, wherever in it this code was bundled to. */
function programRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
