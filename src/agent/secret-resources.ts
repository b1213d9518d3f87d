import protobuf from 'protobufjs/minimal.js';
import type { SecretSnapshot } from '../identity/snapshot.ts';
import { contentVersion, type DiscoveryResource } from '../xds/resource.ts';

/** Names by which compiled configuration asks for the workload's certificate and for the mesh's roots. */
export const workloadSecretName = 'default';
export const rootSecretName = 'ROOTCA';

/** The two secrets of a workload. Keys go inline, never as a file name: they touch no disk on their way to Envoy. */
export function secretResources(snapshot: SecretSnapshot): readonly DiscoveryResource[] {
  const { certificateChain, privateKey, rootCertificates } = snapshot;
  return [
    {
      name: workloadSecretName,
      version: contentVersion(certificateChain, privateKey),
      body: secret(workloadSecretName, 2, [certificateChain, privateKey]),
    },
    {
      name: rootSecretName,
      version: contentVersion(rootCertificates),
      body: secret(rootSecretName, 4, [rootCertificates]),
    },
  ];
}

function secret(name: string, field: number, sources: readonly string[]): Uint8Array {
  const writer = protobuf.Writer.create()
    .uint32(10)
    .string(name)
    .uint32((field << 3) | 2)
    .fork();
  for (const [i, text] of sources.entries()) {
    writer
      .uint32(((i + 1) << 3) | 2)
      .fork()
      .uint32(18)
      .bytes(Buffer.from(text, 'latin1'))
      .ldelim();
  }
  return writer.ldelim().finish();
}
