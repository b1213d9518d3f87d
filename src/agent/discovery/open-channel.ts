import { Client, type ClientDuplexStream } from '@grpc/grpc-js';
import { meshChannelOptions, secureCredentials } from '../../identity/secure-channel.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';

/** The configuration of a big mesh comes in one message a type. */
const longestMessageBytes = 256 * 1_048_576;
const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';

/** A client of the control plane at `host:port`, which shows the identity and trusts its roots alone. */
export function openChannel(address: string, identity: SecretSnapshot): Client {
  const { certificateChain, privateKey, rootCertificates } = identity;
  return new Client(address, secureCredentials(address, rootCertificates, { certificateChain, privateKey }), {
    ...meshChannelOptions,
    'grpc.max_receive_message_length': longestMessageBytes,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
  });
}

/** An aggregated stream in the incremental form, of messages as bytes. */
export function openStream(client: Client): ClientDuplexStream<Buffer, Buffer> {
  return client.makeBidiStreamRequest(path, asIs, asIs);
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
