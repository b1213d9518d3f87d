import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { LogFields } from '../../lib/log.ts';
import type { ControlConfig } from '../control-config.ts';
import { type ControlPlane, serveControl } from '../serve.ts';
import { createTokenMint, type TokenMint } from './token-mint.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** What one raw request brings; everything is absent by default. */
export interface RawRequest {
  readonly csr?: string;
  readonly seconds?: bigint;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM of a client certificate (leaf first) and its key. */
  readonly client?: { readonly certificate: string; readonly privateKey: string };
  /** Instead of a message with the fields above. */
  readonly bytes?: Buffer;
}

export interface RawAnswer {
  /** gRPC status; 0 is good. */
  readonly code: number;
  readonly details: string;
  /** PEM, element by element. */
  readonly chain: readonly string[];
}

/** A control plane in this process, on ports of its own, and a client that knows only the wire. */
export class ControlBench {
  readonly folder: string;
  readonly mint: TokenMint = createTokenMint();
  readonly lines: LogLine[] = [];
  #control: ControlPlane | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<ControlBench> {
    const bench = new ControlBench(await mkdtemp(join(tmpdir(), 'control-')));
    await writeFile(bench.path('keys.json'), bench.mint.keySet);
    return bench;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** With tokens of the bench's own issuer, and a certificate for 127.0.0.1, unless the changes say otherwise. */
  async start(changes: (config: ControlConfig) => ControlConfig = (config) => config, clock = Date.now): Promise<void> {
    const any = { host: '127.0.0.1', port: 0 };
    const config = changes({
      trustDomain: 'cluster.local',
      authority: {
        folder: this.path('ca'),
        keyAlgorithm: 'ECDSA',
        tokens: {
          issuer: this.mint.issuer,
          keyFile: this.path('keys.json'),
          audiences: ['mesh-ca', 'istio-ca'],
          isFirstParty: false,
          allowedHosts: [],
          issuerRoots: undefined,
        },
        clusterIds: ['Cluster'],
        limit: { requestsPerSecond: 1000, burst: 1000 },
      },
      secure: {
        address: any,
        certificate: { names: ['127.0.0.1', 'meshd.mesh-system.svc'], outputFolder: undefined },
        maxMessageBytes: 4_194_304,
        maxStreams: 100,
      },
      monitoring: any,
      version: 'test',
    });
    const at =
      (level: string) =>
      (message: string, fields: LogFields = {}) =>
        void this.lines.push({ level, message, fields });
    const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    this.#control = await serveControl(config, { log, clock });
  }

  /** Of the debug answers by token. */
  get debugPort(): number {
    return this.#control?.debugPort ?? 0;
  }

  get dnsPorts(): ControlPlane['dnsPorts'] {
    return this.#control?.dnsPorts ?? { plain: undefined, tls: undefined };
  }

  get webhookPort(): number {
    return this.#control?.webhookPort ?? 0;
  }

  get port(): number {
    return this.#control?.securePort ?? 0;
  }

  /** How many certificates the metrics say were signed. */
  async issued(): Promise<string | undefined> {
    const text = await (await fetch(`${this.monitoring}/metrics`)).text();
    return /^ca_server_success_cert_issuance_count (\d+)$/m.exec(text)?.[1];
  }

  get monitoring(): string {
    return `http://127.0.0.1:${this.#control?.monitoringPort}`;
  }

  /** The audit lines of requests since the last call of this. */
  audit(): LogLine[] {
    const lines = this.lines.filter(({ message }) => /^certificate (issued|refused)$/.test(message));
    this.lines.length = 0;
    return lines;
  }

  /** One connection that stays open until it is closed; `root` is the PEM that it trusts. */
  connect(root: string, client?: RawRequest['client']): Client {
    return connectTo(this.port, root, client);
  }

  /** One request on a connection of its own. */
  async call(root: string, request: RawRequest): Promise<RawAnswer> {
    const client = this.connect(root, request.client);
    try {
      return await send(client, request);
    } finally {
      client.close();
    }
  }

  async stop(): Promise<void> {
    await this.#control?.close();
    this.#control = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A connection to a control plane on loopback, by the usual name. */
export function connectTo(port: number, root: string, client?: RawRequest['client']): Client {
  const pair = client ? [Buffer.from(client.privateKey), Buffer.from(client.certificate)] : [null, null];
  const secure = credentials.createSsl(Buffer.from(root), pair[0], pair[1]);
  return new Client(`127.0.0.1:${port}`, secure, {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.ssl_target_name_override': 'meshd.mesh-system.svc',
  });
}

/** One request, written and read byte by byte as the protocol's description says. */
export function send(
  client: Client,
  { csr = '', seconds = 0n, token, headers = {}, bytes }: RawRequest,
): Promise<RawAnswer> {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const message = bytes ?? Buffer.concat([textField(1, csr), Buffer.of(0x18), varint(BigInt.asUintN(64, seconds))]);
  const same = (buffer: Buffer): Buffer => buffer;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Buffer): void =>
      resolve(
        error === null
          ? { code: 0, details: '', chain: textsOf(answer ?? Buffer.alloc(0)) }
          : { code: error.code, details: error.details, chain: [] },
      );
    const path = '/istio.v1.auth.IstioCertificateService/CreateCertificate';
    client.makeUnaryRequest(path, same, same, message, metadata, { deadline: Date.now() + 20_000 }, done);
  });
}

/** A field of text, or of a message within. */
export function textField(number: number, text: string | Buffer): Buffer {
  const bytes = Buffer.from(text as string);
  return Buffer.concat([Buffer.of((number << 3) | 2), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const octets: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...octets, Number(rest)]);
    octets.push(Number(rest & 0x7fn) | 0x80);
  }
}

/** The texts of field 1, which is all that an answer has. */
function textsOf(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at++] !== 0x0a) throw new Error('another field than 1 in the answer');
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const octet = bytes[at++] ?? 0;
      length |= (octet & 0x7f) << shift;
      if (octet < 0x80) break;
    }
    texts.push(bytes.toString('utf8', at, at + length));
    at += length;
  }
  return texts;
}
