import { allowHosts } from '../../agent/reload/allow-hosts.ts';
import { tellRootNamespace } from '../../agent/reload/tell-root.ts';
import { createKeyJudge } from '../../envoy/judge-keys.ts';
import { createCompileAside } from '../../live/compile-aside.ts';
import { FetchedKeySets } from '../../live/key-sets/remote.ts';
import type { ConfigurationSource, SourceParts } from './configuration-source.ts';

/** Files and folders with policies, and what is read besides. */
export interface PolicyPaths {
  /** Of `--policies`. */
  readonly policies: readonly string[];
  /** Of the mesh configuration too. */
  readonly inputs: readonly string[];
  readonly watched: readonly string[];
}

/** Compiles the policies here, and again at each change. */
export function openCompiledSource(
  { policies, inputs, watched }: PolicyPaths,
  { agent, settings, settingsOptions, identity, role, bootstrap, limits, metrics, log, ...parts }: SourceParts,
): ConfigurationSource {
  const judgeKeys = createKeyJudge(parts.validate);
  const keySets = new FetchedKeySets({
    allowedHosts: settings.jwksAllowedHosts,
    judgeKeys,
    log: log.scope('authorization'),
    onFetch: (isDone) => metrics.countKeySetFetch(isDone),
  });
  const { ownAddresses } = parts;
  const compiler = createCompileAside({
    ...{ policies, watched, identity, ownAddresses, role, keySets, judgeKeys, settings: settingsOptions },
    ...{ templateFile: bootstrap.templateFile, bootstrapOverride: bootstrap.override },
    ...{ memoryLimitBytes: limits.memoryBytes, descriptorLimit: limits.descriptors },
    onFigures: (figures) => metrics.showFigures(figures),
    readsGatewayApi: agent.readsGatewayApi,
    fallbackSecret: agent.secrets.fallbackSecret,
    gatewayNamespace: agent.secrets.gatewayNamespace,
  });
  return {
    compile: allowHosts(tellRootNamespace(compiler.compile, log), keySets),
    renew: compiler.renew,
    inputs: [...inputs, ...watched],
    onNews: (listener) => keySets.onChange(listener),
    close: async () => {
      keySets.close();
      await compiler.close();
    },
  };
}
