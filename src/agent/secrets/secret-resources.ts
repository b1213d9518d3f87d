import { encodeMessage } from '../../envoy/api/encode.ts';
import type { IdentityTexts } from '../../identity/snapshot.ts';
import { contentVersion, type DiscoveryResource } from '../../xds/resource.ts';

/** Names by which compiled configuration asks for the workload's certificate and for the mesh's roots. */
export const workloadSecretName = 'default';
export const rootSecretName = 'ROOTCA';

/** The two secrets of a workload. Keys go inline, never as a file name: they touch no disk on their way to Envoy. */
export function secretResources(identity: IdentityTexts): readonly DiscoveryResource[] {
  const { certificateChain, privateKey, rootCertificates } = identity;
  return [
    {
      name: workloadSecretName,
      version: contentVersion(certificateChain, privateKey),
      body: secret({
        name: workloadSecretName,
        tls_certificate: { certificate_chain: inline(certificateChain), private_key: inline(privateKey) },
      }),
    },
    {
      name: rootSecretName,
      version: contentVersion(rootCertificates),
      body: secret({ name: rootSecretName, validation_context: { trusted_ca: inline(rootCertificates) } }),
    },
  ];
}

function secret(json: object): Uint8Array {
  return encodeMessage('envoy.extensions.transport_sockets.tls.v3.Secret', json);
}

/** ProtoJSON writes bytes as base64. */
function inline(pem: string): object {
  return { inline_bytes: Buffer.from(pem, 'latin1').toString('base64') };
}
