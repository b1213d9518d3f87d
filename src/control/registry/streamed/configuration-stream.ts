import { readFile } from 'node:fs/promises';
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  type ServiceError,
} from '@grpc/grpc-js';
import { callFailure } from '../../../identity/call-failure.ts';
import { meshChannelOptions, secureCredentials } from '../../../identity/secure-channel.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import {
  type ConfigurationAsk,
  type ConfigurationResponse,
  encodeConfigurationAsk,
  readConfigurationResponse,
} from '../../../xds/configuration-response.ts';
import type { StreamAddress, StreamFiles } from './stream-address.ts';

export interface StreamOptions {
  readonly address: StreamAddress;
  /** The first requests of a stream. */
  readonly begin: () => readonly Omit<ConfigurationAsk, 'nodeId'>[];
  /** Gives what is wrong with a response; undefined: nothing is. */
  readonly take: (response: ConfigurationResponse) => string | undefined;
  /** Why there is no stream; undefined: there is one that has answered. */
  readonly onState: (problem: string | undefined) => void;
  readonly clock?: Clock;
}

const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const longestMessageBytes = 256 * 1_048_576;
const backOffMs = { first: 500, longest: 30_000 };
/** INVALID_ARGUMENT, as clients of xDS refuse a response. */
const refusalCode = 3;

/** Keeps one stream to a configuration server, opened again whenever it ends, after a random part of a doubling delay. */
export class ConfigurationStream {
  readonly #options: StreamOptions;
  readonly #end = new AbortController();
  #call: ClientDuplexStream<Buffer, Buffer> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { clock = systemClock, onState } = this.#options;
    let failures = 0;
    while (!this.#end.signal.aborted) {
      const { hasAnswered, problem } = await this.#carry();
      if (this.#end.signal.aborted) return;
      failures = hasAnswered ? 0 : failures + 1;
      onState(problem);
      const longest = Math.min(backOffMs.first * 2 ** failures, backOffMs.longest);
      await clock.sleep(longest * (0.25 + 0.75 * clock.random()), this.#end.signal);
    }
  }

  close(): void {
    this.#end.abort();
    this.#call?.cancel();
  }

  /** One stream from its begin to its end. */
  async #carry(): Promise<{ readonly hasAnswered: boolean; readonly problem: string }> {
    const {
      address: { address, isIncremental, files },
      begin,
    } = this.#options;
    let shown: ChannelCredentials;
    try {
      shown = await credentialsOf(address, files);
    } catch (error) {
      return { hasAnswered: false, problem: (error as Error).message };
    }
    const accepted = new Map<string, string>();
    const client = new Client(address, shown, {
      ...meshChannelOptions,
      'grpc.max_receive_message_length': longestMessageBytes,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
    });
    const method = isIncremental ? 'DeltaAggregatedResources' : 'StreamAggregatedResources';
    const call = client.makeBidiStreamRequest(`${service}/${method}`, asIs, asIs);
    this.#call = call;
    let hasAnswered = false;
    const problem = await new Promise<string>((resolve) => {
      call.on('data', (bytes: Buffer) => {
        try {
          this.#answer(call, readConfigurationResponse(bytes, isIncremental), accepted);
          hasAnswered = true;
        } catch (error) {
          call.cancel();
          resolve(`a response cannot be read: ${(error as Error).message}`);
        }
      });
      call.on('error', (error: ServiceError) => resolve(callFailure(error, address)));
      call.on('end', () => resolve('the server has ended the stream'));
      for (const [i, ask] of begin().entries())
        call.write(encodeConfigurationAsk({ ...ask, ...(i === 0 && { nodeId: 'meshd' }) }, isIncremental));
    });
    this.#call = undefined;
    call.on('error', () => undefined);
    call.cancel();
    client.close();
    return { hasAnswered, problem };
  }

  /** `accepted` has the version of each type that was not refused last. */
  #answer(
    call: ClientDuplexStream<Buffer, Buffer>,
    response: ConfigurationResponse,
    accepted: Map<string, string>,
  ): void {
    const { address, take, onState } = this.#options;
    const { typeUrl, nonce } = response;
    onState(undefined);
    const problem = take(response);
    const error = problem === undefined ? undefined : { code: refusalCode, message: problem };
    if (problem === undefined) accepted.set(typeUrl, response.version);
    const version = accepted.get(typeUrl) ?? '';
    call.write(encodeConfigurationAsk({ typeUrl, nonce, version, error }, address.isIncremental));
  }
}

async function credentialsOf(address: string, files: StreamFiles | undefined): Promise<ChannelCredentials> {
  if (files === undefined) return credentials.createInsecure();
  const { roots, certificate, key } = files;
  const text = (path: string): Promise<string> => readFile(path, 'utf8');
  const pair =
    certificate !== undefined && key !== undefined
      ? { certificateChain: await text(certificate), privateKey: await text(key) }
      : undefined;
  return secureCredentials(address, await text(roots), pair);
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
