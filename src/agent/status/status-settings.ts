import { agentDnsPort } from '../../lib/proxy-addresses.ts';
import type { AgentConfig } from '../agent-config.ts';
import type { AppProbes } from './app-probe.ts';
import { readAppProbes } from './app-probes.ts';
import { readScrapeTargets, type ScrapeTarget } from './scrape-targets.ts';

/** What the status port asks the application for. */
export interface StatusSettings {
  readonly probes: AppProbes;
  readonly scrapeTargets: readonly ScrapeTarget[];
  /** Where probes find the application, as the kubelet does; `topology`: where the inputs say; undefined: on loopback. */
  readonly podAddress: string | 'topology' | undefined;
}

/** For an agent without an application to ask. */
export const nothingAsked: StatusSettings = { probes: new Map(), scrapeTargets: [], podAddress: undefined };

export interface StatusVariables {
  readonly role: AgentConfig['role'];
  /** MESH_APP_PROBERS. */
  readonly appProbers: string | undefined;
  /** MESH_METRICS_ANNOTATIONS. */
  readonly metricsAnnotations: string | undefined;
  /** REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION. */
  readonly probesLocalhost: boolean;
  /** The pod's first address, where a flag or a variable says it. */
  readonly podAddress: string | undefined;
  /** The ports of this proxy that its configuration sets: status, admin, listeners. */
  readonly ownPorts: readonly number[];
}

export type ReadStatusSettings =
  | { readonly ok: true; readonly settings: StatusSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Ports that belong to a proxy in every mesh, whatever this one's are. */
const wellKnownPorts = [15000, 15001, 15004, 15006, 15008, 15020, 15021, agentDnsPort, 15090];

/**
 * What the variables ask of the status port, or every problem in them. An empty
 * MESH_APP_PROBERS counts as absent, as in Istio; a router
 * has no application, so its MESH_METRICS_ANNOTATIONS is not read.
 */
export function readStatusSettings(variables: StatusVariables): ReadStatusSettings {
  const reserved = new Set([...wellKnownPorts, ...variables.ownPorts]);
  const probes = readAppProbes(variables.appProbers || '{}', reserved);
  const annotations = variables.role === 'sidecar' ? variables.metricsAnnotations : undefined;
  const targets = readScrapeTargets(annotations ?? '{"scrape": "false"}', reserved);
  if (!probes.ok || !targets.ok) {
    const problems = [...(probes.ok ? [] : probes.problems), ...(targets.ok ? [] : targets.problems)];
    return { ok: false, problems };
  }
  return {
    ok: true,
    settings: {
      probes: probes.probes,
      scrapeTargets: targets.targets,
      podAddress: variables.probesLocalhost ? undefined : (variables.podAddress ?? 'topology'),
    },
  };
}
