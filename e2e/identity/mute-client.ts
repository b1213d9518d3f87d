import { Client, credentials } from '@grpc/grpc-js';
import { encodeMessage } from '../../src/envoy/api/encode.ts';

/**
 * Clients of SDS that never answer, as a program: `mute-client.ts SOCKET`. Four streams of either form ask for the
 * workload's secrets, take what comes and acknowledge nothing. Prints a line for each response.
 */
const [socket = ''] = process.argv.slice(2);
const service = '/envoy.service.secret.v3.SecretDiscoveryService';
const names = ['default', 'ROOTCA'];
const forms: readonly (readonly [method: string, request: Uint8Array])[] = [
  [
    'StreamSecrets',
    encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', { node: { id: 'mute' }, resource_names: names }),
  ],
  [
    'DeltaSecrets',
    encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
      node: { id: 'mute' },
      resource_names_subscribe: names,
    }),
  ],
];
const asIs = (bytes: Buffer): Buffer => bytes;
for (let i = 0; i < 8; i += 1) {
  const [method = '', request = new Uint8Array()] = forms[i % 2] ?? [];
  const client = new Client(`unix:${socket}`, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(`${service}/${method}`, asIs, asIs);
  call.on('data', () => process.stdout.write(`${method}\n`));
  call.on('error', (error) => process.stdout.write(`${error.message}\n`));
  call.write(Buffer.from(request));
}
