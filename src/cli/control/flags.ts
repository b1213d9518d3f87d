import { type Command, Option } from 'commander';
import type { ConsulAddressText } from '../../consul/consul-address.ts';
import type { Address } from '../../control/server/address.ts';
import type { Revision } from '../../git/revision.ts';
import { collectFilled, filledText, parsePath, parseTrustDomain, revisionName } from '../options.ts';
import { address, consulAddress, type NamedFile, namedFile, positive, revision } from './flag-values.ts';
import { serveVariablesHelp } from './variables.ts';

/** Where the other commands of `meshd` look for it too. */
export const defaultDebugSocket = './var/run/mesh/meshd.sock';

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
  readonly config?: string;
  readonly git?: string;
  readonly rev?: Revision;
  readonly kubernetes?: true;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly watchNamespaces?: readonly string[];
  readonly consul?: readonly ConsulAddressText[];
  readonly consulToken?: string;
  readonly consulRoots?: string;
  readonly consulCertificate?: string;
  readonly consulKey?: string;
  readonly registrationSocket?: string;
  readonly anyProxyAddress?: true;
  readonly stateFolder?: string;
  readonly debugSocket?: string;
  readonly debugAddr?: Address;
  readonly dnsTlsAddr?: Address;
  readonly configSourceRoots?: string;
  readonly configSourceCertificate?: string;
  readonly configSourceKey?: string;
  readonly webhookAddr?: Address;
  readonly validationWebhook?: string;
  readonly revision?: string;
  readonly injectionTemplate?: readonly NamedFile[];
}

/** Adds the flags of `meshd serve`. */
export function addServeFlags(command: Command): Command {
  return addWebhookFlags(addServiceFlags(addDistributionFlags(command)))
    .option(
      '--meshConfig <file>',
      'mesh configuration; the default file may be absent (default: ./etc/mesh/config/mesh)',
      parsePath,
    )
    .option(
      '--listen <host:port>',
      'address of the gRPC listener with TLS (default: :15012, or no listener if MESHD_ADDR is set to the empty string)',
      address,
    )
    .addOption(
      new Option('--monitoringAddr <host:port>', 'HTTP address of /metrics, /healthz and /healthz/ready')
        .argParser(address)
        .default({ host: '', port: 15014 }, ':15014'),
    )
    .option(
      '--caFolder <folder>',
      'folder of the CA: of your own (ca-cert.pem, ca-key.pem, root-cert.pem, cert-chain.pem), or where a self-signed one ' +
        'is created (default: ./etc/cacerts if it holds a CA, else with --kubernetes the Secrets of the cluster, else ./var/lib/mesh/ca)',
      parsePath,
    )
    .addOption(
      new Option('--caKeyAlgorithm <algorithm>', 'key of a self-signed CA that is created')
        .choices(['ECDSA', 'RSA'])
        .default('ECDSA'),
    )
    .option(
      '--trust-domain <domain>',
      'trust domain of identities (default: TRUST_DOMAIN, else trustDomain of the mesh configuration, else cluster.local)',
      parseTrustDomain,
    )
    .option(
      '--tokenIssuer <url>',
      'issuer of the tokens that are accepted; its keys are fetched by OpenID Connect Discovery',
      filledText,
    )
    .option(
      '--tokenIssuerRoots <file>',
      "additional CA certificates (PEM) to verify the issuer's server with; the file is watched",
      parsePath,
    )
    .option(
      '--tokenKeys <file>',
      'file of keys to verify tokens with, instead of fetching them: a JSON Web Key Set, or public keys as PEM',
      parsePath,
    )
    .option(
      '--tokenAudience <audience...>',
      'audiences of the tokens that are accepted (default: mesh-ca, istio-ca)',
      collectFilled,
    )
    .option('--csrRate <requests>', 'signing requests per second allowed per identity', positive, 50)
    .option('--csrBurst <requests>', 'burst of signing requests allowed per identity', positive, 1000)
    .addHelpText('after', serveVariablesHelp());
}

/** What serves configuration to proxies. */
function addDistributionFlags(command: Command): Command {
  return command
    .option(
      '--config <folder>',
      'send proxies their configuration (ADS), compiled from the policies, services and workloads (YAML or JSON) in this ' +
        'folder, which is watched',
      parsePath,
    )
    .option(
      '--git <folder>',
      'send proxies their configuration (ADS), compiled from the files of a commit in this git repository; its working ' +
        'tree does not matter',
      parsePath,
    )
    .option(
      '--rev <revision>',
      'with --git: branch, tag, HEAD, reference (refs/...) or full commit id; if a branch moves, its new commit is read; ' +
        'with a folder after a colon (main:mesh), only the files of this folder are read',
      revision,
    )
    .option(
      '--kubernetes',
      'send proxies their configuration (ADS), compiled from the objects of the Kubernetes cluster that this process runs ' +
        'in, or that --kubeconfig names; its API server verifies the tokens of service accounts (TokenReview)',
    )
    .option('--kubeconfig <file>', 'with --kubernetes: kubeconfig of the cluster', parsePath)
    .option('--context <name>', 'with --kubeconfig: its context (default: the current one)', filledText)
    .option(
      '--watch-namespaces <namespaces...>',
      'with --kubernetes: read the objects of these namespaces alone, at most 100 (default: all)',
      collectFilled,
    )
    .option(
      '--anyProxyAddress',
      'let a proxy connect from an address that its workload does not have, for networks that translate addresses (NAT)',
    )
    .option(
      '--debugSocket <file>',
      `Unix socket that meshd status, proxies, why and forget use; only this user can open it (default: ${defaultDebugSocket})`,
      parsePath,
    )
    .option(
      '--debugAddr <host:port>',
      'address of an HTTPS listener for debug requests. Each needs a token: one whose claims name the namespaces that its ' +
        'bearer may see, or with --kubernetes one of a service account that has the right to see them (default: none)',
      address,
    )
    .option(
      '--dnsTlsAddr <host:port>',
      'address of DNS over TLS, with the certificate of the TLS listener (default: port 853, which agents dial, at the ' +
        'host of DNS_ADDR)',
      address,
    )
    .option(
      '--stateFolder <folder>',
      'folder in which the last valid policies and topology are stored for the next start (default: ./var/lib/mesh/state)',
      parsePath,
    );
}

/** Services beside those of the objects. */
function addServiceFlags(command: Command): Command {
  return command
    .option(
      '--consul <[name=]url...>',
      'add the services of a Consul datacenter, by the HTTP API of a server or agent; ?dc=NAME names another datacenter than ' +
        "the server's, and ?stale lets any server answer",
      consulAddress,
    )
    .option('--consulToken <file>', 'with --consul: file with an ACL token; read for each request', parsePath)
    .option('--consulRoots <file>', 'with --consul: CA certificates (PEM) to verify the server with', parsePath)
    .option('--consulCertificate <file>', 'with --consul: certificate (PEM) of this client', parsePath)
    .option('--consulKey <file>', 'with --consulCertificate: its private key (PEM)', parsePath)
    .option(
      '--configSourceRoots <file>',
      'CA certificates (PEM) to verify configuration servers (configSources xds://) with; read for each connection',
      parsePath,
    )
    .option('--configSourceCertificate <file>', 'with --configSourceRoots: certificate (PEM) of this client', parsePath)
    .option('--configSourceKey <file>', 'with --configSourceCertificate: its private key (PEM)', parsePath)
    .option(
      '--registrationSocket <file>',
      'Unix socket on which programs register services over HTTP (registry Mock); services are kept in memory; only this ' +
        'user can open the socket (default: none)',
      parsePath,
    );
}

/** What a cluster asks before it stores objects. */
function addWebhookFlags(command: Command): Command {
  return command
    .option(
      '--webhookAddr <host:port>',
      'with --kubernetes: HTTPS address of the webhooks that the API server calls before it stores an object (default: none)',
      address,
    )
    .option(
      '--validationWebhook <name>',
      'with --webhookAddr: name of the ValidatingWebhookConfiguration. One replica writes the roots of the CA into it and, ' +
        'once the webhook works, the failure policy Fail (default: mesh-validator)',
      filledText,
    )
    .option(
      '--injectionTemplate <name=file...>',
      'with --webhookAddr: template of a proxy, which pods name in the annotation inject.mesh.io/templates; the file is watched',
      namedFile,
    )
    .option(
      '--revision <name>',
      'with --webhookAddr: name of this control plane, if several run in the namespace (default: default)',
      revisionName,
    );
}
