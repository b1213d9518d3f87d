import type {
  DownstreamMeshTls,
  SanMatcher,
  UpstreamExternalTls,
  UpstreamMeshTls,
  UpstreamTransport,
} from '../ir/tls.ts';
import { type Originated, placed } from './placed.ts';

/** Envoy's SubjectAltNameMatcher. */
export interface SanMatcherView {
  readonly sanType: 'URI' | 'DNS' | 'IP_ADDRESS';
  readonly matcher: { readonly exact: string } | { readonly prefix: string };
}

/** What both sides of mesh TLS have: certificates and root come over SDS. */
export interface MeshTlsView {
  readonly alpn: readonly string[];
  readonly sanMatchers: readonly SanMatcherView[];
}

/** The server's side of mesh TLS, which always wants a client certificate. */
export interface DownstreamTlsView extends MeshTlsView {
  readonly requireClientCertificate: Originated<true>;
}

/** TLS to servers outside the mesh; without `validation` any certificate will do. */
export interface ExternalTlsView {
  readonly sni?: string;
  readonly alpn: readonly string[];
  readonly certificate?: { readonly chain: string; readonly key: string };
  readonly validation?: {
    readonly trustedCa: string;
    readonly sanMatchers: readonly SanMatcherView[];
    readonly crl?: string;
  };
}

/** One of `mesh`, `external` and `plaintext` is set. */
export interface TransportSocketView {
  readonly name: Originated<string>;
  readonly mesh?: MeshTlsView & { readonly sni: string };
  readonly external?: ExternalTlsView;
  readonly plaintext?: true;
}

/** One choice among transport sockets, by the metadata of the endpoint. */
export interface TransportSocketMatchView {
  readonly name: Originated<string>;
  readonly match: Readonly<Record<string, string>>;
  readonly transportSocket: TransportSocketView;
}

/** At most one of the two is set. */
export interface TransportView {
  readonly transportSocket?: TransportSocketView;
  readonly transportSocketMatches?: readonly TransportSocketMatchView[];
}

/** Bundle of the operating system, at the place where Debian, Ubuntu and Alpine keep it. */
const systemCaBundle = '/etc/ssl/certs/ca-certificates.crt';

const plaintextSocket: TransportSocketView = { name: 'envoy.transport_sockets.raw_buffer', plaintext: true };

/** No matcher at all where every identity of the mesh root is welcome. */
export function downstreamTlsView(tls: DownstreamMeshTls): DownstreamTlsView {
  return {
    requireClientCertificate: placed<true>(true, tls.origins),
    alpn: tls.alpn,
    sanMatchers: tls.peerSans.map(spiffeMatcher),
  };
}

/** What endpoints with a sidecar are marked with, so that mutual TLS is spoken to them alone. */
export const meshSocket = { tlsMode: 'mesh' };

/** Plaintext that nobody asked for has no transport socket at all. */
export function transportView(transport: UpstreamTransport): TransportView {
  switch (transport.kind) {
    case 'plaintext': {
      const name = placed('envoy.transport_sockets.raw_buffer', transport.origins);
      return typeof name === 'string' ? {} : { transportSocket: { name, plaintext: true } };
    }
    case 'tls':
      return {
        transportSocket: {
          name: placed('envoy.transport_sockets.tls', transport.origins),
          ...(transport.tls.kind === 'mesh'
            ? { mesh: meshView(transport.tls) }
            : { external: externalView(transport.tls) }),
        },
      };
    case 'automatic':
      return {
        transportSocketMatches: [
          {
            name: placed('tlsMode-mesh', transport.origins),
            match: meshSocket,
            transportSocket: { name: 'envoy.transport_sockets.tls', mesh: meshView(transport.tls) },
          },
          { name: 'tlsMode-disabled', match: {}, transportSocket: plaintextSocket },
        ],
      };
  }
}

function meshView(tls: UpstreamMeshTls): MeshTlsView & { readonly sni: string } {
  return { sni: tls.sni, alpn: tls.alpn, sanMatchers: tls.serverSans.map(spiffeMatcher) };
}

function externalView(tls: UpstreamExternalTls): ExternalTlsView {
  return {
    ...(tls.sni === undefined ? {} : { sni: tls.sni }),
    alpn: tls.alpn,
    ...(tls.clientCertificate === undefined ? {} : { certificate: tls.clientCertificate }),
    ...(tls.trustedCa === undefined
      ? {}
      : {
          validation: {
            trustedCa: tls.trustedCa === 'system' ? systemCaBundle : tls.trustedCa.file,
            sanMatchers: tls.serverSans.map(externalMatcher),
            ...(tls.crl === undefined ? {} : { crl: tls.crl }),
          },
        }),
  };
}

function spiffeMatcher(san: SanMatcher): SanMatcherView {
  return { sanType: 'URI', matcher: san.kind === 'exact' ? { exact: san.value } : { prefix: san.value } };
}

function externalMatcher(san: string): SanMatcherView {
  const isAddress = san.includes(':') || /^\d+(\.\d+){3}$/.test(san);
  const sanType = san.includes('://') ? 'URI' : isAddress ? 'IP_ADDRESS' : 'DNS';
  return { sanType, matcher: { exact: san } };
}
