import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { CertificateSource } from '../server/certificate-provider.ts';
import type { HttpsServer } from '../server/https-server.ts';
import { AdmissionThread } from './admission-thread.ts';
import type { AdmissionEvent } from './answer-review.ts';
import { reviewOf } from './testing/reviews.ts';
import { startWebhookServer } from './webhook-server.ts';

const built = resolve(import.meta.dirname, '../../../dist/meshd-admission.cjs');
/** A thread with a weak spot or two. */
const weak = `const { parentPort } = require('node:worker_threads');
let known = new Map();
parentPort.on('message', ({ question, namespaces, namespace, labels }) => {
  if (namespaces !== undefined) known = new Map(namespaces);
  if (namespace !== undefined && labels === undefined) known.delete(namespace);
  if (namespace !== undefined && labels !== undefined) known.set(namespace, labels);
  if (question === undefined) return;
  const { id, text } = question;
  if (text === 'for ever') for (;;);
  if (text === 'fault') throw new Error('a fault');
  const body = JSON.stringify(text === 'known' ? [...known] : text);
  parentPort.postMessage({ id, reply: { status: 200, body, told: undefined } });
});
`;
const policy = {
  ...{ apiVersion: 'security.mesh.io/v1', kind: 'PeerAuthentication', metadata: { name: 'a', namespace: 'foo' } },
  spec: { mtls: { mode: 'STRICT' } },
};

describe('the server of webhooks', () => {
  const certificates = new CertificateSource();
  let folder: string;
  let root: string;
  let thread: AdmissionThread;
  let server: HttpsServer;
  const events: (AdmissionEvent | undefined)[] = [];
  const lines: string[] = [];
  const add = (message: string) => void lines.push(message);
  const log = { debug: add, info: add, warn: add, error: add };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    await writeFile(join(folder, 'weak.cjs'), weak);
    const ca = await createMeshCa();
    const pair = await ca.issue('', { uris: [], dnsNames: ['meshd.mesh-system.svc'] });
    root = ca.rootCertificate;
    certificates.setPair({ ...pair, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(() => {
    events.length = 0;
    lines.length = 0;
  });
  afterEach(async () => {
    await server?.close();
    await thread?.close();
  });

  async function start(program = built, longestMs?: number): Promise<void> {
    thread = new AdmissionThread({
      ...{ log, program, revision: 'default' },
      labelsOf: async () => undefined,
      ...(longestMs !== undefined && { longestMs }),
    });
    const observe = (_: string, event: AdmissionEvent | undefined) => void events.push(event);
    server = await startWebhookServer({ address: { host: '127.0.0.1', port: 0 }, certificates, thread, observe, log });
  }

  interface Asked {
    readonly path?: string;
    readonly method?: string;
    readonly type?: string;
  }
  const ask = (body: string | Buffer | object, asked: Asked = {}) =>
    new Promise<{ readonly status: number | undefined; readonly body: string }>((done, reject) => {
      const { path = '/validate', method = 'POST', type = 'application/json' } = asked;
      const sent = request({
        ...{ host: '127.0.0.1', port: server.port, ca: root, servername: 'meshd.mesh-system.svc', agent: false },
        ...{ method, path, headers: { 'content-type': type } },
      });
      sent.on('response', async (answer) => done({ status: answer.statusCode, body: await text(answer) }));
      sent.on('error', reject).end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });

  test('answers a review in its own version and with its uid', async () => {
    await start();
    for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
      const { status, body } = await ask(reviewOf({ object: policy, uid: apiVersion, apiVersion }), {
        type: 'application/json; charset=utf-8',
      });
      expect([status, JSON.parse(body)]).toEqual([
        200,
        { apiVersion, kind: 'AdmissionReview', response: { uid: apiVersion, allowed: true } },
      ]);
    }
    const invalid = { ...policy, spec: { mtls: { mode: 'STRIKT' } } };
    const { response } = JSON.parse((await ask(reviewOf({ object: invalid }))).body);
    expect(response).toMatchObject({
      ...{ uid: 'u-1', allowed: false },
      status: { code: 400, reason: 'BadRequest', details: { causes: [{ field: 'spec.mtls.mode' }] } },
    });
    expect(events.map((event) => event?.outcome)).toEqual(['allowed', 'allowed', 'refused']);
    expect(lines).toContain('an object is refused');
  });

  test.each([
    ['another method', '', { method: 'GET' }, 405, /only POST/],
    ['another type', '{}', { type: 'application/yaml' }, 415, /application\/json is expected/],
    ['a type that merely begins so', '{}', { type: 'application/jsonp' }, 415, /application\/json is expected/],
    ['no body', '', {}, 400, /no body/],
    ['what is no JSON', '{', {}, 400, /not JSON/],
    ['another object', '{"kind":"Pod","apiVersion":"v1"}', {}, 400, /no AdmissionReview/],
    [
      'a review of a later version',
      { ...reviewOf({ object: policy }), apiVersion: 'admission.k8s.io/v2' },
      {},
      400,
      /v1beta1/,
    ],
    ['a review without request', { ...reviewOf({}), request: null }, {}, 400, /has no request/],
    [
      'a list in place of an object',
      { ...reviewOf({}), request: { ...(reviewOf({}).request as object), object: [] } },
      {},
      400,
      /is none/,
    ],
    ['a new object that is not there', reviewOf({}), {}, 400, /the operation CREATE, and no object/],
    ['an update to nothing', reviewOf({ oldObject: policy, operation: 'UPDATE' }), {}, 400, /UPDATE, and no object/],
    ['what is no UTF-8', Buffer.from('{"kind": "\xe9"}', 'latin1'), {}, 400, /not UTF-8/],
    ['a review without uid', reviewOf({ object: policy, uid: '' }), {}, 400, /no uid/],
    ['another path', '{}', { path: '/' }, 404, /no such webhook/],
    ['a path of every object', '{}', { path: '/constructor' }, 404, /no such webhook/],
    ['9 MB', ' '.repeat(9 << 20), {}, 413, /longer than 8388608 bytes/],
  ])('refuses %s', async (_, body, asked, status, reason) => {
    await start();
    const reply = await ask(body, asked);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body).error).toMatch(reason);
    expect(events).toEqual(status === 404 ? [] : [undefined]);
  });

  test('answers others while it judges a large object', async () => {
    await start();
    const rules = Array.from({ length: 8_000 }, (_, i) => ({
      from: [{ source: { principals: [`a/ns/n${i}/sa/s`] } }],
    }));
    const object = { ...policy, kind: 'AuthorizationPolicy', spec: { rules } };
    const order: string[] = [];
    const large = ask(reviewOf({ object })).then(({ body }) => {
      order.push('large');
      return JSON.parse(body).response.allowed;
    });
    await ask('', { path: '/ready', method: 'GET' }).then(({ body }) => order.push(body.trim()));
    expect([await large, order]).toEqual([true, ['{"ready":true}', 'large']]);
  });

  test('fails the object that ends the thread or takes too long, and has another one answer the others', async () => {
    await start(join(folder, 'weak.cjs'), 3_000);
    for (const [body, reason] of [
      ['fault', /a fault/],
      ['for ever', /longer than 3000 ms/],
    ] as const) {
      const reply = await ask(body);
      expect([reply.status, JSON.parse(reply.body).error]).toEqual([503, expect.stringMatching(reason)]);
      expect(await ask('next')).toEqual({ status: 200, body: '"next"\n' });
    }
    expect(lines.filter((line) => line.startsWith('the thread that judges objects has ended'))).toHaveLength(2);
    const together = await Promise.all(['one', 'fault', 'two'].map((body) => ask(body)));
    expect(together.map(({ status }) => status)).toEqual([200, 503, 200]);
  });

  test('tells a new thread the labels of namespaces that the one before knew', async () => {
    await start(join(folder, 'weak.cjs'));
    thread.knowNamespaces(
      new Map([
        ['a', { x: '1' }],
        ['b', {}],
      ]),
    );
    thread.knowNamespace('c', { y: '2' });
    thread.knowNamespace('a', undefined);
    const known = { status: 200, body: `${JSON.stringify(Object.entries({ b: {}, c: { y: '2' } }))}\n` };
    expect(await ask('known')).toEqual(known);
    expect((await ask('fault')).status).toBe(503);
    expect(await ask('known')).toEqual(known);
    thread.knowNamespaces(new Map());
    expect(await ask('known')).toEqual({ status: 200, body: '[]\n' });
  });

  test.each([
    ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384'],
    ['TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'],
  ])('takes the cipher that the client prefers: %s', async (...ciphers) => {
    await start();
    const options = { host: '127.0.0.1', port: server.port, ca: root, servername: 'meshd.mesh-system.svc' };
    const client = connect({ ...options, ciphers: ciphers.join(':') });
    await once(client, 'secureConnect');
    expect(client.getCipher().name).toBe(ciphers[0]);
    client.destroy();
  });

  test('keeps a connection for longer than API servers do', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    const sent = request({
      ...{ host: '127.0.0.1', port: server.port, ca: root, servername: 'meshd.mesh-system.svc', agent, path: '/ready' },
    });
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
    await text(answer);
    agent.destroy();
    const seconds = Number(/^timeout=(\d+)$/.exec(String(answer.headers['keep-alive']))?.[1]);
    // Of Go's client in an API server: 90.
    expect(seconds).toBeGreaterThan(90);
  });

  test('closes idle connections once there are as many as it allows', async () => {
    await start();
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 512 });
    onTestFinished(() => agent.destroy());
    const ready = async (): Promise<number | undefined> => {
      const sent = request({
        ...{
          host: '127.0.0.1',
          port: server.port,
          ca: root,
          servername: 'meshd.mesh-system.svc',
          agent,
          path: '/ready',
        },
      });
      const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
      await text(answer);
      return answer.statusCode;
    };
    expect(new Set(await Promise.all(Array.from({ length: 512 }, ready)))).toEqual(new Set([200]));
    await expect(ask('')).rejects.toThrow();
    await eventually(async () => expect((await ask('', { path: '/ready', method: 'GET' })).status).toBe(200));
  });
});
