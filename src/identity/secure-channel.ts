import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { KeyPairTexts } from '../certificates/check-pair.ts';

/** The control plane is inside the mesh: neither a proxy of the environment nor a text record of DNS has a say. */
export const meshChannelOptions = {
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
} as const;

/** TLS to `address`, whose certificate must lead to `roots` (PEM) and be for the host of `address`; `pair` is shown. */
export function secureCredentials(address: string, roots: string, pair?: KeyPairTexts): ChannelCredentials {
  const [key = null, chain = null] = pair ? [Buffer.from(pair.privateKey), Buffer.from(pair.certificateChain)] : [];
  const made = credentials.createSsl(Buffer.from(roots, 'latin1'), key, chain);
  const host = hostOf(address);
  return isIP(host) === 0 ? made : withoutServerName(made, host);
}

/** Of `host:port`; brackets around an IPv6 address are not part of it. */
function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

/**
 * An address is no server name (RFC 6066, 3), but the library sends it as one, at which Node warns. The certificate is
 * compared with the address here: Node 24 finds no IPv6 address in any certificate.
 */
function withoutServerName(made: ChannelCredentials, ip: string): ChannelCredentials {
  const create = made._createSecureConnector.bind(made);
  made._createSecureConnector = (...target) => {
    const connector = create(...target) as ReturnType<typeof create> & { connectionOptions: ConnectionOptions };
    connector.connectionOptions.servername = '';
    connector.connectionOptions.checkServerIdentity = (_name, { raw }) =>
      new X509Certificate(raw).checkIP(ip) === undefined
        ? new Error(`the certificate is not for the address ${ip}`)
        : undefined;
    return connector;
  };
  return made;
}
