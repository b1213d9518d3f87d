import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Address, parseAddress } from '../../control/server/address.ts';

/** The flags of `serve` as the parser gives them. */
export interface ServeFlags {
  readonly meshConfig?: string;
  readonly listen?: Address;
  readonly monitoringAddr: Address;
  readonly caFolder?: string;
  readonly caKeyAlgorithm: 'ECDSA' | 'RSA';
  readonly trustDomain?: string;
  readonly tokenIssuer?: string;
  readonly tokenIssuerRoots?: string;
  readonly tokenKeys?: string;
  readonly tokenAudience?: readonly string[];
  readonly csrRate: number;
  readonly csrBurst: number;
}

const variables = `
Variables:
  CLUSTER_ID                our cluster; requests that name another one are refused (default: Cluster)
  ENABLE_CA_SERVER          false: no certificates are signed (default: true)
  JWT_POLICY                third-party-jwt, first-party-jwt for tokens without audience too, or none (default: third-party-jwt)
  MESHD_ADDR                service name of the control plane; set and empty: no TLS listener
  MESHD_CUSTOM_HOST         further names of the server certificate, with commas between them
  MESH_GPRC_MAXRECVMSGSIZE  largest request, bytes (default: 4194304)
  MESH_GPRC_MAXSTREAMS      requests at once on one connection (default: 100000)
  NAMESPACE                 namespace of the control plane (default: mesh-system)
  PILOT_CERT_DIR            folder of the server certificate: written there, or read where the provider is custom
  PILOT_CERT_PROVIDER       meshd (we sign it), custom, or a folder with cert-chain.pem and key.pem (default: meshd)
  TRUST_DOMAIN              domain of identities (default: that of the mesh configuration, cluster.local)`;

/** Adds the flags of `meshd serve`. */
export function addServeFlags(command: Command): Command {
  return command
    .option('--meshConfig <file>', 'mesh configuration; may be absent at its default place, ./etc/mesh/config/mesh')
    .option(
      '--listen <host:port>',
      'gRPC over TLS; without it :15012, or none where MESHD_ADDR is set and empty',
      address,
    )
    .addOption(
      new Option('--monitoringAddr <host:port>', '/metrics, /healthz and /healthz/ready')
        .argParser(address)
        .default({ host: '', port: 15014 }, ':15014'),
    )
    .option(
      '--caFolder <folder>',
      'certificate authority: plugged in (ca-cert.pem, ca-key.pem, root-cert.pem, cert-chain.pem), or made there; ' +
        'without it ./etc/cacerts where one is plugged in, else ./var/lib/mesh/ca',
    )
    .addOption(
      new Option('--caKeyAlgorithm <algorithm>', 'key of an authority that is made now')
        .choices(['ECDSA', 'RSA'])
        .default('ECDSA'),
    )
    .option('--trust-domain <domain>', 'domain of identities')
    .option('--tokenIssuer <url>', 'issuer of tokens; its keys are found by OpenID Connect Discovery')
    .option('--tokenIssuerRoots <file>', 'certificates (PEM) that are trusted there beside the usual ones')
    .option('--tokenKeys <file>', 'keys of tokens instead: a JSON Web Key Set, or public keys as PEM')
    .option('--tokenAudience <audience...>', 'audiences of tokens for us (default: mesh-ca, istio-ca)')
    .option('--csrRate <requests>', 'signing requests per second allowed per identity', positive, 50)
    .option('--csrBurst <requests>', 'burst of signing requests allowed per identity', positive, 1000)
    .addHelpText('after', variables);
}

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new InvalidArgumentError('host:port, [ipv6]:port or :port is expected');
  return parsed;
}

function positive(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value === 0) throw new InvalidArgumentError('a whole number from 1 on is expected');
  return value;
}
