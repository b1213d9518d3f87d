import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuthorizerSettings, ExtensionProvider } from '../../../config/settings.ts';
import { type InboundListeners, startInboundListeners } from '../testing/inbound-listeners.ts';

/** What the authorizers were asked about: path and headers over HTTP, the message over gRPC. */
const asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
const askedOverGrpc: string[] = [];

let folder: string;
let http: Server;
let grpc: GrpcServer;
let inbound: InboundListeners;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authorizers-e2e-'));
  http = createServer(({ url = '', headers }, response) => {
    asked.push({ url, headers });
    const [, odd] = /odd\/(\d+)/.exec(url) ?? [];
    if (odd !== undefined) {
      response.socket?.end(
        `HTTP/1.1 ${odd} Odd\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n`,
      );
      return;
    }
    response.writeHead(url.includes('deny') ? 403 : url.includes('created') ? 201 : 200).end();
  }).listen(join(folder, 'http.sock'));
  await once(http, 'listening');
  grpc = await startGrpc(join(folder, 'grpc.sock'));
  const host = 'opa.a.svc.cluster.local';
  inbound = await startInboundListeners(policies, {
    settings: { extensionProviders: providers },
    authorizers: {
      [`outbound|80||${host}`]: join(folder, 'http.sock'),
      [`outbound|9191||${host}`]: join(folder, 'grpc.sock'),
    },
  });
});
afterAll(async () => {
  await inbound?.close();
  http?.close();
  http?.closeAllConnections();
  grpc?.forceShutdown();
  await rm(folder, { recursive: true, force: true });
});

const plain: AuthorizerSettings = {
  protocol: 'http',
  service: 'opa.a.svc.cluster.local',
  port: 80,
  timeoutMs: 2000,
  failOpen: false,
  statusOnError: 403,
  clearRouteCache: false,
  requestBody: undefined,
  pathPrefix: '/check',
  headersToAuthorizer: ['x-ext-*'],
  headersToAdd: { 'x-from': 'mesh' },
  headersToUpstream: [],
  headersToDownstreamOnAllow: [],
  headersToDownstreamOnDeny: [],
};
const overGrpc: AuthorizerSettings = { ...plain, protocol: 'grpc', port: 9191 };
const providers: readonly ExtensionProvider[] = [
  { name: 'http', authorizer: plain },
  { name: 'grpc', authorizer: overGrpc },
];

function custom(provider: string, rules: string): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${provider}, namespace: a}
spec: {action: CUSTOM, provider: {name: ${provider}}, rules: ${rules}}
---
`;
}

const paths = (path: string): string => `[{to: [{operation: {paths: ["${path}"]}}]}]`;
const everywhere = '[{when: [{key: source.ip, values: [127.0.0.0/8]}]}]';

const denied = `apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: denied, namespace: a}
spec: {action: DENY, rules: ${paths('/ext/no')}}
`;

const policies: Readonly<Record<string, string>> = {
  http: custom('http', paths('/ext*')),
  grpc: custom('grpc', paths('/ext*')),
  both: custom('http', paths('/ext*')) + custom('grpc', paths('/ext/both*')),
  'http on connections': custom('http', everywhere),
  'grpc on connections': custom('grpc', everywhere),
  'grpc on other connections': custom('grpc', '[{when: [{key: source.ip, values: [10.0.0.0/8]}]}]'),
  'http and DENY': custom('http', paths('/ext*')) + denied,
};

/** `envoy.service.auth.v3.Authorization` that denies what holds the text `deny`; an empty answer allows. */
async function startGrpc(path: string): Promise<GrpcServer> {
  const server = new GrpcServer();
  const raw = { serialize: (bytes: Buffer) => bytes, deserialize: (bytes: Buffer) => bytes };
  server.addService(
    {
      check: {
        path: '/envoy.service.auth.v3.Authorization/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: raw.serialize,
        requestDeserialize: raw.deserialize,
        responseSerialize: raw.serialize,
        responseDeserialize: raw.deserialize,
      },
    },
    {
      check: (call: { request: Buffer }, answer: (error: null, message: Buffer) => void) => {
        const text = call.request.toString('latin1');
        askedOverGrpc.push(text);
        answer(null, text.includes('deny') ? checkAnswer() : oddAnswer(text));
      },
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return server;
}

/** `CheckResponse { status { code: PERMISSION_DENIED } }` */
const checkAnswer = (): Buffer => Buffer.from([0x0a, 0x02, 0x08, 0x07]);

/** The same with `denied_response { status { code } }` where a path asks for a code. */
function oddAnswer(text: string): Buffer {
  const [, odd] = /odd\/(\d+)/.exec(text) ?? [];
  return odd === undefined ? Buffer.alloc(0) : Buffer.concat([checkAnswer(), varintStatus(Number(odd))]);
}

function varintStatus(code: number): Buffer {
  const varint = code < 0x80 ? [code] : [0x80 | (code & 0x7f), code >> 7];
  return Buffer.from([0x12, varint.length + 3, 0x0a, varint.length + 1, 0x08, ...varint]);
}

describe('CUSTOM policies', () => {
  test.each<[string, string, number, number, number]>([
    ['http', '/other', 200, 0, 0],
    ['http', '/ext/a', 200, 1, 0],
    ['http', '/%65xt/a', 200, 1, 0],
    ['http', '/x/..%2fext', 200, 1, 0],
    ['http', '/ext/deny', 403, 1, 0],
    ['http', '/ext/created', 201, 1, 0],
    ['grpc', '/other', 200, 0, 0],
    ['grpc', '/ext/a', 200, 0, 1],
    ['grpc', '/ext/deny', 403, 0, 1],
    ['both', '/ext/a', 200, 1, 0],
    ['both', '/ext/both', 200, 1, 1],
    ['both', '/ext/both/deny', 403, 0, 1],
    ['http and DENY', '/ext/no', 403, 1, 0],
    ['http and DENY', '/ext/yes', 200, 1, 0],
    ['http on connections', '/', 200, 1, 0],
  ])('%s: %s is answered %i, after %i questions over HTTP and %i over gRPC', async (gate, path, status, ...counts) => {
    asked.length = 0;
    askedOverGrpc.length = 0;
    expect(await inbound.ask(gate, 'http', {}, path)).toBe(status);
    expect([asked.length, askedOverGrpc.length]).toEqual(counts);
  });

  test('tell the authorizer path and added headers', async () => {
    asked.length = 0;
    await inbound.ask('http', 'http', {}, '/ext/a?b=c');
    expect(asked[0]).toMatchObject({ url: '/check/ext/a?b=c', headers: { host: 'httpbin.a', 'x-from': 'mesh' } });
  });

  test.each([
    ['http on connections', false],
    ['grpc on connections', true],
    ['grpc on other connections', true],
  ])('%s: a TCP connection echoes: %s', async (gate, isOpen) => {
    askedOverGrpc.length = 0;
    expect(await inbound.echoes(gate, 'tcp', {})).toBe(isOpen);
    expect(askedOverGrpc.length).toBe(gate === 'grpc on connections' ? 1 : 0);
  });
});

describe('a status of the authorizer that is no answer', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

  test.each([
    ['http', '/ext/odd/101', {}],
    ['http', '/ext/odd/101', upgrade],
    ['http', '/ext/odd/100', {}],
    ['http', '/ext/odd/103', {}],
    ['http', '/ext/odd/199', upgrade],
    ['grpc', '/ext/odd/101', {}],
    ['grpc', '/ext/odd/101', upgrade],
    ['grpc', '/ext/odd/100', {}],
    ['grpc', '/ext/odd/103', {}],
    ['grpc', '/ext/odd/199', {}],
  ])('%s: %s is answered 403, with headers %j', async (gate, path, headers) => {
    expect(await inbound.ask(gate, 'http', {}, path, headers)).toBe(403);
  });
});

describe('an authorizer that is away', () => {
  test('refuses requests and connections, and nothing that it was not to be asked about', async () => {
    http.closeAllConnections();
    http.close();
    grpc.forceShutdown();
    expect(await inbound.ask('http', 'http', {}, '/ext/a')).toBe(403);
    expect(await inbound.ask('grpc', 'http', {}, '/ext/a')).toBe(403);
    expect(await inbound.ask('http', 'http', {}, '/other')).toBe(200);
    expect(await inbound.echoes('grpc on connections', 'tcp', {})).toBe(false);
    expect(await inbound.echoes('grpc on other connections', 'tcp', {})).toBe(true);
  });
});
