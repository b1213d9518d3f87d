import type { WorkloadCertificate } from '../control/ca/temporary-authority.ts';
import { type ConfigParts, staticForm } from '../envoy/static-form.ts';
import { connectionLog } from './access-logs.ts';
import { echoCluster, echoListener } from './echo.ts';
import { editedForGauge } from './edited.ts';

type Json = Record<string, unknown>;

/** A listener of one proxy that is tried. */
export interface Gate {
  /** By it, cases say which gate they go through. */
  readonly key: string;
  readonly listener: string;
  readonly config: ConfigParts;
}

/** What the gates' Envoy needs that stands in no configuration. */
export interface GateSecrets {
  readonly server: WorkloadCertificate;
  /** Root of an authority that has signed no client's certificate. */
  readonly strangeRoot: string;
  /** A public key that verifies tokens beside the keys of each key set; absent: none. */
  readonly tokenKey?: object | undefined;
}

/** Where the admin interface listens, relative to Envoy's working directory. */
export const adminSocket = 'admin.sock';

/** Name of the gate's listener, which stands in its entries of the log. */
export function gateName(index: number): string {
  return `gate-${index}`;
}

/**
 * One bootstrap with a listener on a port of its own for each gate; the port is the system's choice. Original destination and
 * client address come with each connection in a PROXY header, so that no redirection and no privilege is needed. Filter
 * chains and routes stay as they are, but for secrets, access logs, and endpoints: every cluster is the echo.
 */
export function gatesBootstrap(gates: readonly Gate[], secrets: GateSecrets): object {
  const clusters = new Map(
    gates.flatMap(({ config }) => config.clusters.map(({ name }) => [name, echoCluster(String(name))] as const)),
  );
  const names = { certificates: new Set<string>(), roots: new Set<string>() };
  const listeners = gates.map((gate, i) => ({
    ...(editedForGauge(listenerOf(gate), { ...editsFor(secrets, names), gate: gateName(i) }) as Json),
    name: gateName(i),
    address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
    // A busy machine sends a client's first bytes late.
    listener_filters_timeout: '300s',
    access_log: [connectionLog(gateName(i))],
  }));
  return {
    node: { id: 'gauge', cluster: 'gauge' },
    admin: { address: { pipe: { path: adminSocket } } },
    layered_runtime: gates[0]?.config.bootstrap.layered_runtime,
    static_resources: {
      listeners: [...listeners, echoListener()],
      clusters: [...clusters.values()],
      secrets: secretsOf(secrets, names),
    },
  };
}

interface SecretNames {
  readonly certificates: Set<string>;
  readonly roots: Set<string>;
}

/** `direct_remote_ip` is the gate's client, `source_ip` the one of the PROXY header: without one, both are the same. */
function editsFor({ server, strangeRoot, tokenKey }: GateSecrets, { certificates, roots }: SecretNames) {
  const noted = (names: Set<string>) => (value: unknown) => {
    for (const one of Array.isArray(value) ? value : [value]) names.add(String((one as Json).name));
    return withoutSource(value);
  };
  const inputs = 'type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3';
  return {
    replacements: {
      tls_certificates: () => [certificateOf(server)],
      trusted_ca: () => ({ inline_string: strangeRoot }),
      crl: () => undefined,
      transport_socket_connect_timeout: () => undefined,
      tls_certificate_sds_secret_configs: noted(certificates),
      validation_context_sds_secret_config: noted(roots),
      local_jwks: (value: unknown) => withKey(value as Json, tokenKey),
    },
    names: {
      direct_remote_ip: 'source_ip',
      direct_source_prefix_ranges: 'source_prefix_ranges',
      [`${inputs}.DirectSourceIPInput`]: `${inputs}.SourceIPInput`,
    },
  };
}

/** The same name, and the secret of this name stands in the bootstrap. */
function withoutSource(value: unknown): unknown {
  return Array.isArray(value) ? value.map(withoutSource) : { name: (value as Json).name };
}

/** A key set that Envoy cannot read stays as it is. */
function withKey(value: Json, tokenKey: object | undefined): Json {
  if (tokenKey === undefined) return value;
  try {
    const { keys, ...rest } = JSON.parse(String(value.inline_string)) as { readonly keys: readonly object[] };
    return { inline_string: JSON.stringify({ ...rest, keys: [...keys, tokenKey] }) };
  } catch {
    return value;
  }
}

function secretsOf({ server, strangeRoot }: GateSecrets, { certificates, roots }: SecretNames): readonly object[] {
  const rootOf = (name: string): string => (name === 'ROOTCA' ? server.rootCertificate : strangeRoot);
  return [
    ...[...certificates].map((name) => ({ name, tls_certificate: certificateOf(server) })),
    ...[...roots].map((name) => ({ name, validation_context: { trusted_ca: { inline_string: rootOf(name) } } })),
  ];
}

function certificateOf({ certificateChain, privateKey }: WorkloadCertificate): object {
  return { certificate_chain: { inline_string: certificateChain }, private_key: { inline_string: privateKey } };
}

const filterTypes = 'type.googleapis.com/envoy.extensions.filters.listener';

function listenerOf({ listener: name, config }: Gate): Json {
  const { static_resources } = staticForm(config) as unknown as { static_resources: { listeners: Json[] } };
  const listener = static_resources.listeners.find((one) => one.name === name);
  if (listener === undefined) throw new Error(`the proxy has no listener "${name}"`);
  const {
    bind_to_port: _bind,
    use_original_dst: _hands,
    additional_addresses: _others,
    transparent: _any,
    ...rest
  } = listener;
  const others = ((listener.listener_filters as Json[] | undefined) ?? []).filter((one) => !isOriginalDestination(one));
  const filter = { name: 'gate', typed_config: { '@type': `${filterTypes}.proxy_protocol.v3.ProxyProtocol` } };
  return { ...rest, listener_filters: [filter, ...others] };
}

function isOriginalDestination({ typed_config }: Json): boolean {
  return String((typed_config as Json | undefined)?.['@type']).endsWith('.OriginalDst');
}
