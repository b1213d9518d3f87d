import type { AgentConfig } from '../../agent/agent-config.ts';
import { readStatusSettings, type StatusSettings } from '../../agent/status/status-settings.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';

/** What the status port asks the application for; a UsageError that tells every problem with its place. */
export function statusSettingsOf(
  role: AgentConfig['role'],
  agent: AgentSettings,
  settings: Settings,
  identity: ProxyIdentity,
): StatusSettings {
  const { proxy, proxyListenPort, proxyInboundListenPort } = settings;
  const read = readStatusSettings({
    role,
    appProbers: agent.appProbers,
    metricsAnnotations: agent.metricsAnnotations,
    probesLocalhost: agent.probesLocalhost,
    podAddress: identity.ip,
    ownPorts: [proxy.statusPort, proxy.adminPort, proxyListenPort, proxyInboundListenPort],
  });
  if (!read.ok) throw new UsageError(read.problems.join('\n'));
  return read.settings;
}
