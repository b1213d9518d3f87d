import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { decodeMessage } from '../src/envoy/api/decode.ts';
import { encodeMessage } from '../src/envoy/api/encode.ts';
import { secretTypeUrl } from '../src/xds/secret-service.ts';
import { AgentFolder, configPath, pairFiles } from './agent-folder.ts';
import { line, ms, quantile } from './measure.ts';

const subscribers = 100;
const rotations = 30;
const asIs = (bytes: Buffer): Buffer => bytes;

/** From the rename of a certificate's last file to its arrival at 100 subscribers of an agent that runs an Envoy too. */
export async function identityPushing(): Promise<void> {
  const folder = await AgentFolder.create(0);
  const agent = folder.start();
  const crowd: Subscriber[] = [];
  try {
    await agent.seen('state=running');
    for (let i = 0; i < subscribers; i += 1) crowd.push(new Subscriber(join(folder.path, configPath, 'SDS')));
    await Promise.all(crowd.map((subscriber) => subscriber.next));
    const all: number[] = [];
    const spread: number[] = [];
    for (let i = 0; i < rotations; i += 1) {
      const arrivals = crowd.map((subscriber) => subscriber.next);
      const files = pairFiles(await folder.issue());
      let changedAt = 0;
      for (const [name, text] of files) changedAt = await folder.replace(`certs/${name}`, text);
      const at = await Promise.all(arrivals);
      all.push(...at.map((time) => time - changedAt));
      spread.push(Math.max(...at) - Math.min(...at));
    }
    line(
      `rename to arrival, ${subscribers} subscribers, ${rotations} rotations`,
      `p50 ${ms(quantile(all, 0.5))}, p99 ${ms(quantile(all, 0.99))}`,
    );
    line(
      'from the first subscriber to the last',
      `p50 ${ms(quantile(spread, 0.5))}, p99 ${ms(quantile(spread, 0.99))}`,
    );
  } finally {
    for (const subscriber of crowd) subscriber.close();
    await agent.end();
    await folder.remove();
  }
}

/** A client of the state of the world that takes whatever comes, on a connection of its own. */
class Subscriber {
  /** When the next certificate arrives, as `performance.now()` counts. */
  next: Promise<number>;
  #arrive: (at: number) => void = () => {};
  readonly #client: Client;
  readonly #call: ClientDuplexStream<Buffer, Buffer>;

  constructor(socket: string) {
    this.#client = new Client(`unix:${socket}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
    const method = '/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets';
    this.#call = this.#client.makeBidiStreamRequest(method, asIs, asIs);
    this.#call.on('error', () => {});
    this.next = this.#await();
    this.#call.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#ask({ node: { id: 'bench' } });
  }

  close(): void {
    this.#call.cancel();
    this.#client.close();
  }

  #await(): Promise<number> {
    return new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  #take(bytes: Buffer): void {
    const at = performance.now();
    const { version_info, nonce } = decodeMessage('envoy.service.discovery.v3.DiscoveryResponse', bytes) as {
      readonly version_info: string;
      readonly nonce: string;
    };
    const arrive = this.#arrive;
    this.next = this.#await();
    arrive(at);
    this.#ask({ version_info, response_nonce: nonce });
  }

  #ask(fields: object): void {
    const request = { type_url: secretTypeUrl, resource_names: ['default'], ...fields };
    this.#call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', request)));
  }
}
