import type { IdentityTexts } from '../../identity/snapshot.ts';
import { adsBootstrap } from '../../xds/testing/small-mesh.ts';

/** An Envoy without an agent, as a client of control planes by mutual TLS. */
export interface DirectEnvoy extends IdentityTexts {
  readonly nodeId: string;
  /** The state of the world, or what differs. */
  readonly apiType: 'GRPC' | 'DELTA_GRPC';
  readonly adminPort: number;
  readonly controlPlanes: readonly { readonly host: string; readonly port: number }[];
  /** Unix socket of the service of its secrets, which a control plane does not give. */
  readonly secretSocket: string;
}

const http2 = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const upstreamTls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

/** A control plane that is stopped keeps its connections: only this tells. */
const keepalive = { connection_keepalive: { interval: '5s', timeout: '2s' } };

/** Its bootstrap. What its configuration is asked for with is in the bootstrap itself. */
export function directBootstrap(envoy: DirectEnvoy): object {
  const { nodeId, apiType, adminPort, controlPlanes, secretSocket } = envoy;
  const parts = adsBootstrap(apiType, adminPort, '') as Record<string, object>;
  const addresses = controlPlanes.map(({ host, port }) => ({ socket_address: { address: host, port_value: port } }));
  return {
    ...{ ...parts, node: { ...parts.node, id: nodeId } },
    static_resources: {
      clusters: [
        cluster('xds-grpc', addresses, { transport_socket: { name: 'tls', typed_config: tlsOf(envoy) } }),
        cluster('sds-grpc', [{ pipe: { path: secretSocket } }]),
      ],
    },
  };
}

function cluster(name: string, addresses: readonly object[], more: object = {}): object {
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: addresses.map((address) => ({ endpoint: { address } })) }],
    },
    typed_extension_protocol_options: {
      [http2]: { '@type': `type.googleapis.com/${http2}`, explicit_http_config: { http2_protocol_options: keepalive } },
    },
    ...more,
  };
}

function tlsOf({ certificateChain, privateKey, rootCertificates }: IdentityTexts): object {
  const host = 'meshd.mesh-system.svc';
  return {
    '@type': `type.googleapis.com/${upstreamTls}`,
    sni: host,
    common_tls_context: {
      tls_certificates: [
        { certificate_chain: { inline_string: certificateChain }, private_key: { inline_string: privateKey } },
      ],
      validation_context: {
        trusted_ca: { inline_string: rootCertificates },
        match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: host } }],
      },
    },
  };
}
