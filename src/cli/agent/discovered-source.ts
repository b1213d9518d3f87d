import { createBootstrapAlone } from '../../live/bootstrap-alone.ts';
import type { ConfigurationSource, SourceParts } from './configuration-source.ts';
import { discoverySettingsOf } from './discovery.ts';

/** Takes the configuration from the control plane at `address`; nothing is compiled here. */
export function openDiscoveredSource(
  address: string,
  envoyVersion: () => Promise<string>,
  parts: SourceParts,
): ConfigurationSource {
  const { agent, settings, settingsOptions, identity, role, limits, ownAddresses } = parts;
  return {
    discovery: discoverySettingsOf(address, parts, envoyVersion),
    compile: createBootstrapAlone({
      ...{ settings, identity, role, ownAddresses, sources: settingsOptions, serviceAccount: agent.serviceAccount },
      ...{ memoryLimitBytes: limits.memoryBytes, descriptorLimit: limits.descriptors },
    }),
    renew: async () => undefined,
    inputs: [],
    close: () => Promise.resolve(),
  };
}
