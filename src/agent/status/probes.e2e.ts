import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import {
  Server as GrpcServer,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterEach, describe, expect, test } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { readAppProbes } from './app-probes.ts';
import { type Asked, ask, type StatusBench, startStatusBench } from './testing/status-bench.ts';

const path = '/app-health/app/readyz';
/** Stands for the pod's address: the machine has it, and no program of the machine listens there by accident. */
const pod = '127.0.0.2';

describe('the probes of an application', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const listen = async (server: Server | ReturnType<typeof createTcp>, host = pod, port = 0): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(port, host, () => resolve()));
    ends.push(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  /** A gRPC library's server of grpc.health.v1, with the states that the services have. */
  const health = async (states: Readonly<Record<string, string>>): Promise<number> => {
    const server = new GrpcServer();
    server.addService(healthService, {
      check: (call: ServerUnaryCall<{ readonly service: string }, string>, answer: sendUnaryData<string>) => {
        const state = states[call.request.service];
        if (state === undefined) answer({ code: status.NOT_FOUND });
        else answer(null, state);
      },
    });
    ends.push(() => server.forceShutdown());
    return new Promise((resolve, reject) => {
      server.bindAsync(`${pod}:0`, ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error);
        else resolve(port);
      });
    });
  };
  const app = (answer: RequestListener, host?: string): Promise<number> => listen(createHttp(answer), host);
  const bench = async (probe: object, addresses: readonly string[] = [pod]): Promise<StatusBench> => {
    const read = readAppProbes(JSON.stringify({ [path]: probe }), new Set([15000]));
    if (!read.ok) throw new Error(read.problems.join());
    const started = await startStatusBench({ probes: read.probes, addresses: () => addresses });
    ends.push(() => started.close());
    return started;
  };
  const probed = async (probe: object, asked: Asked = {}, addresses?: readonly string[]) =>
    ask((await bench(probe, addresses)).port, { path, ...asked });

  test('over HTTP pass on status and the beginning of the body', async () => {
    const port = await app((_, response) => response.writeHead(418).end('x'.repeat(100_000)));
    const answer = await probed({ httpGet: { port } });
    expect([answer.status, answer.body.length]).toEqual([418, 10_240]);
  });

  test('ask by GET on a connection of their own, from the address that redirection lets through', async () => {
    const seen: (string | undefined)[] = [];
    const port = await app(({ method, url, headers, socket }, response) => {
      seen.push(`${method} ${url} ${headers.host} ${headers.connection} ${socket.remoteAddress}`);
      response.end();
    });
    const { port: agent } = await bench({ httpGet: { port, path: 'ready?full=1' } });
    const headers = { host: 'kubelet.example:15020' };
    for (const method of ['GET', 'HEAD']) await ask(agent, { path: `${path}?from=kubelet`, method, headers });
    expect(seen).toEqual(Array(2).fill(`GET /ready?full=1 kubelet.example:${port} close 127.0.0.6`));
  });

  test('forward headers, add their own, and drop connection headers and credentials', async () => {
    let seen: Readonly<Record<string, unknown>> = {};
    const port = await app(({ headers }, response) => {
      seen = headers;
      response.end();
    });
    const httpHeaders = [
      { name: 'Host', value: 'app.example.com' },
      { name: 'X-Both', value: 'configured' },
      { name: 'Authorization', value: 'Bearer configured' },
    ];
    const { port: agent } = await bench({ httpGet: { port, httpHeaders } });
    const credentials = {
      ...{ authorization: 'Basic x', cookie: 'a=b', 'proxy-authorization': 'Basic y' },
      ...{ 'x-forwarded-client-cert': 'By=spiffe://x', 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1' },
    };
    const connection = { connection: 'close, x-named', 'x-named': '1', te: 'trailers', 'keep-alive': '5' };
    await ask(agent, {
      path,
      headers: { 'user-agent': 'kube-probe/1.34', 'X-Both': 'asked', ...credentials, ...connection },
    });
    expect(seen).toEqual({
      authorization: 'Bearer configured',
      connection: 'close',
      host: 'app.example.com',
      'user-agent': 'kube-probe/1.34',
      'x-both': 'configured',
    });
  });

  test('over HTTPS verify no certificate', async () => {
    const issued = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/app');
    const server = createHttps({ key: issued.privateKey, cert: issued.certificateChain }, (_, response) => {
      response.writeHead(204).end();
    });
    const port = await listen(server as unknown as Server);
    expect(await probed({ httpGet: { port, scheme: 'HTTPS' } })).toMatchObject({ status: 204 });
  });

  test.each([
    ['relative', () => '/there', 204],
    ['on the same host', (port: number) => `http://${pod}:${port}/there`, 204],
    ['on the host that was named', (port: number) => `http://app.example.com:${port}/there`, 204],
    ['to another host', () => 'https://other.example.com/there', 200],
    ['to another scheme', () => 'ftp://app.example.com/', 200],
    ['that is none', () => 'http://[', 200],
    ['round and round', () => '/ready', 500],
    ['to a port of the proxy', () => 'http://app.example.com:15000/config_dump', 500],
  ])('answer a redirect %s', async (_name, location, expected) => {
    const port = await app(({ url }, response) => {
      if (url === '/there') response.writeHead(204).end();
      else response.writeHead(302, { location: location(port) }).end();
    });
    const httpHeaders = [{ name: 'Host', value: 'app.example.com' }];
    expect(await probed({ httpGet: { port, path: '/ready', httpHeaders } })).toMatchObject({ status: expected });
  });

  test('answer 500 without a body when nobody listens, or nobody answers in time', async () => {
    const port = await app(() => undefined);
    const { port: agent, lines } = await bench({ httpGet: { port }, timeoutSeconds: 0.2 });
    expect(await ask(agent, { path })).toMatchObject({ status: 500, body: '' });
    expect(lines.join('')).toContain('no answer within 200 ms');
    const endless = await app((_, response) => void response.writeHead(200).write('x'));
    const timed = { httpGet: { port: endless }, timeoutSeconds: 0.2 };
    expect(await probed(timed)).toMatchObject({ status: 500, body: '' });
    expect(await probed({ httpGet: { port: await unused() } })).toMatchObject({ status: 500, body: '' });
  });

  test('answer 500 to what is no HTTP, and to a change of protocols', async () => {
    const noise = await listen(createTcp((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n')));
    expect(await probed({ httpGet: { port: noise } })).toMatchObject({ status: 500 });
    const upgrade = createTcp((socket) => {
      socket.on('error', () => undefined).write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    expect(await probed({ httpGet: { port: await listen(upgrade) } })).toMatchObject({ status: 500 });
  });

  test('over TCP are answered by whoever takes the connection', async () => {
    const server = createTcp((socket) => socket.on('error', () => undefined).resume());
    expect(await probed({ tcpSocket: { port: await listen(server) } })).toMatchObject({ status: 200, body: '' });
    expect(await probed({ tcpSocket: { port: await unused() } })).toMatchObject({ status: 500, body: '' });
  });

  test.each([
    ['', 'SERVING', 200],
    ['shop.Cart', 'SERVING', 200],
    ['shop.Cart', 'NOT_SERVING', 500],
    ['nobody', 'SERVING', 500],
    ['x'.repeat(300), 'SERVING', 200],
  ])('over gRPC ask for the service %j that is %s', async (service, state, expected) => {
    const port = await health({ '': 'SERVING', [service === 'nobody' ? 'other' : service]: state });
    expect(await probed({ grpc: { port, ...(service !== '' && { service }) } })).toMatchObject({ status: expected });
  });

  test('over gRPC answer 500 in time to a server that is silent, and to one that is none', async () => {
    const silent = await listen(createTcp((socket) => socket.on('error', () => undefined).resume()));
    expect(await probed({ grpc: { port: silent }, timeoutSeconds: 0.2 })).toMatchObject({ status: 500 });
    const http1 = await app((_, response) => response.end());
    expect(await probed({ grpc: { port: http1 } })).toMatchObject({ status: 500 });
  });

  test('go to the pod alone, so that what listens on loopback stays private, and to either loopback where that is meant', async () => {
    const port = await app((_, response) => response.end(), '::1');
    expect(await probed({ httpGet: { port } })).toMatchObject({ status: 500 });
    expect(await probed({ httpGet: { port } }, {}, ['127.0.0.1', '::1'])).toMatchObject({ status: 200 });
  });

  test('leave no connection behind', async () => {
    let isOpen = 0;
    const server = createHttp((_, response) => response.end());
    server.on('connection', (socket) => {
      isOpen++;
      socket.on('close', () => isOpen--);
    });
    const { port } = await bench({ httpGet: { port: await listen(server) } });
    await Promise.all(Array.from({ length: 20 }, () => ask(port, { path })));
    await eventually(() => expect(isOpen).toBe(0));
  });
});

const { root } = protobuf.parse(`
  syntax = "proto3";
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse {
    enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
    ServingStatus status = 1;
  }
`);
const requestType = root.lookupType('HealthCheckRequest');
const responseType = root.lookupType('HealthCheckResponse');

/** Its answers are names of states. */
const healthService: ServiceDefinition = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (request: object) => Buffer.from(requestType.encode(request).finish()),
    requestDeserialize: (bytes) => requestType.decode(bytes),
    responseSerialize: (state: string) =>
      Buffer.from(responseType.encode(responseType.fromObject({ status: state })).finish()),
    responseDeserialize: (bytes) => bytes,
  },
};

/** A port of the pod that nobody listens on. */
async function unused(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, pod, () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
