import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { ServingLookUps } from './serving-objects.ts';

const root = '/apis/gateway.networking.k8s.io';
const named = (name: string) => `?fieldSelector=metadata.name%3D${name}`;
const gatewaysAt = (namespace: string, name: string, version = 'v1') =>
  `${root}/${version}/namespaces/${namespace}/gateways${named(name)}`;
const classAt = (name: string, version = 'v1') => `${root}/${version}/gatewayclasses${named(name)}`;
const refusal = (status: number) => new ApiRefusal('GET', { status, reason: '', message: '' });

type Answer = (path: string, request: ApiRequest) => unknown;

/** Gateways of the class `own`, which there is. */
const usual: Answer = (path) => {
  const [, name = ''] = path.split('metadata.name%3D');
  if (path.includes('/gatewayclasses')) {
    return { items: [{ metadata: { name }, spec: { controllerName: 'mesh.io/gateway-controller' } }] };
  }
  const [, namespace = ''] = /namespaces\/([^/]+)/.exec(path) ?? [];
  return { items: [{ metadata: { namespace, name }, spec: { gatewayClassName: 'own' } }] };
};

/** An API server that answers so, the paths that it was asked for, a clock, deadlines that pass when they are told to, and a log. */
function given(answer: Answer = usual) {
  const asked: string[] = [];
  const lines: string[] = [];
  const clock = { nowMs: 0 };
  const deadlines: AbortController[] = [];
  const deadline = (): AbortSignal => {
    const made = new AbortController();
    deadlines.push(made);
    return made.signal;
  };
  const api = {
    ask: async <T>(request: ApiRequest): Promise<T> => {
      asked.push(request.path);
      const value = await answer(request.path, request);
      if (value instanceof Error) throw value;
      return value as T;
    },
  };
  const log = { warn: (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`) };
  const lookUps = new ServingLookUps(api, { log, deadline, now: () => clock.nowMs });
  return { asked, clock, deadlines, lines, lookUps };
}

/** Answers each request when it is told to. */
function held() {
  const waiting: (() => void)[] = [];
  const answer: Answer = (path, request) => new Promise((resolve) => waiting.push(() => resolve(usual(path, request))));
  const release = async () => {
    for (const next of waiting.splice(0)) next();
    await new Promise(setImmediate);
  };
  /** What comes of it, with an answer to each request. */
  const answered = async <T>(result: Promise<T>): Promise<T> => {
    let isDone = false;
    void result.finally(() => {
      isDone = true;
    });
    while (!isDone) await release();
    return result;
  };
  return { answer, release, answered };
}

const shop = (...names: readonly string[]) => names.map((name) => ({ namespace: 'shop', name }));
const route = (...names: readonly string[]) => ({ classes: [], gateways: shop(...names) });

describe('who serves objects', () => {
  test('is found by the Gateways of the names and their classes, one request after the other', async () => {
    const { asked, lookUps } = given();
    const own = { spec: { gatewayClassName: 'own' } };
    expect(await lookUps.of(route('a', 'b'))).toEqual({
      gateways: [
        { namespace: 'shop', name: 'a', ...own },
        { namespace: 'shop', name: 'b', ...own },
      ],
      classes: [{ name: 'own', spec: { controllerName: 'mesh.io/gateway-controller' } }],
    });
    expect(asked).toEqual([gatewaysAt('shop', 'a'), gatewaysAt('shop', 'b'), classAt('own')]);
  });

  test('is asked in no namespace for a class, and of nobody for nothing', async () => {
    const { asked, lookUps } = given(() => ({ items: null }));
    expect(await lookUps.of({ classes: ['mesh'], gateways: [] })).toEqual({ gateways: [], classes: [] });
    expect(await lookUps.of({ classes: [], gateways: [] })).toEqual({ gateways: [], classes: [] });
    expect(asked).toEqual([classAt('mesh')]);
  });

  test('is asked in the older version where the API server has no newer one, and is nobody where it has none', async () => {
    const older = given((path, request) => (path.includes('/v1/') ? refusal(404) : usual(path, request)));
    expect(await older.lookUps.of(route('a'))).toMatchObject({ gateways: [{ name: 'a' }], classes: [{ name: 'own' }] });
    expect(older.asked).toEqual([
      ...[gatewaysAt('shop', 'a'), gatewaysAt('shop', 'a', 'v1beta1')],
      ...[classAt('own'), classAt('own', 'v1beta1')],
    ]);
    const none = given(() => refusal(404));
    expect(await none.lookUps.of(route('a'))).toEqual({ gateways: [], classes: [] });
  });

  test('is unknown where the API server refuses or cannot be reached, and is asked again the next time', async () => {
    for (const error of [refusal(403), refusal(500), new KubernetesError('api-unreachable', 'no connection')]) {
      let answer: Answer = () => error;
      const { lookUps } = given((...request) => answer(...request));
      expect(await lookUps.of(route('a'))).toBe('unknown');
      answer = usual;
      expect(await lookUps.of(route('a'))).toMatchObject({ gateways: [{ name: 'a' }] });
    }
  });

  test('is unknown when the time of a review is over, which sends no more then, and keeps its place until its request ends', async () => {
    const { answer, release, answered } = held();
    const { asked, deadlines, lookUps } = given(answer);
    const four = ['a', 'b', 'c', 'd'].map((name) => {
      const [ofReview, found] = [deadlines.length, lookUps.of(route(name, `${name}-2`))];
      deadlines[ofReview]?.abort();
      return found;
    });
    expect(await Promise.all(four)).toEqual(four.map(() => 'unknown'));
    expect(await lookUps.of(route('e'))).toBe('unknown');
    await release();
    expect(asked).toEqual(['a', 'b', 'c', 'd'].map((name) => gatewaysAt('shop', name)));
    expect(await answered(lookUps.of(route('e')))).toMatchObject({ gateways: [{ name: 'e' }] });
  });

  test('is found by a request that reviews share, when the time of the first one is over', async () => {
    const { answer, answered } = held();
    const { asked, deadlines, lookUps } = given((path, request) => {
      signals.push(request.signal);
      return answer(path, request);
    });
    const signals: (AbortSignal | undefined)[] = [];
    const [first, second] = [lookUps.of(route('a')), lookUps.of(route('a'))];
    deadlines[0]?.abort();
    expect(await first).toBe('unknown');
    expect(asked).toEqual([gatewaysAt('shop', 'a')]);
    expect(await answered(second)).toMatchObject({ gateways: [{ name: 'a' }] });
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
  });

  test('is unknown to all reviews that share a request when the time of that is over, which ends it', async () => {
    const { deadlines, lines, lookUps } = given((_, { signal }) => {
      const ended = new KubernetesError('api-unreachable', 'the operation was aborted');
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(ended)));
    });
    const both = Promise.all([lookUps.of(route('a')), lookUps.of(route('a'))]);
    deadlines[1]?.abort();
    expect(await both).toEqual(['unknown', 'unknown']);
    expect(lines).toEqual([expect.stringMatching(/ \{"kind":"Gateway","reason":"no answer in time"\}$/)]);
  });

  test('is unknown with one line in the log for each cause, once a minute', async () => {
    const answers: Answer[] = [() => refusal(403), usual];
    const { clock, lines, lookUps } = given((...request) =>
      answers[request[0].includes('classes') ? 1 : 0]?.(...request),
    );
    const ask = async (...names: readonly string[]) => {
      lines.length = 0;
      for (const name of names) expect(await lookUps.of(route(name))).toBe('unknown');
      return lines;
    };
    expect(await ask('a', 'b')).toEqual([
      expect.stringMatching(/^objects of the Gateway API get no warnings, .*"kind":"Gateway",.* answered 403"\}$/),
    ]);
    answers[0] = () => refusal(500);
    expect(await ask('a')).toEqual([expect.stringContaining('500')]);
    answers.splice(0, 2, usual, () => refusal(403));
    expect(await ask('a')).toEqual([expect.stringMatching(/"kind":"GatewayClass",.* 403/)]);
    answers[0] = () => refusal(403);
    clock.nowMs = 59_000;
    expect(await ask('c')).toEqual([]);
    clock.nowMs = 61_000;
    expect(await ask('c')).toEqual([expect.stringContaining('403')]);
  });

  test('is asked once for reviews of the same names, until what was found is two seconds old', async () => {
    const { asked, clock, lookUps } = given();
    await Promise.all([lookUps.of(route('a')), lookUps.of(route('a'))]);
    clock.nowMs = 1_999;
    await lookUps.of(route('a'));
    expect(asked).toEqual([gatewaysAt('shop', 'a'), classAt('own')]);
    clock.nowMs = 2_000;
    await lookUps.of(route('a'));
    expect(asked).toHaveLength(4);
  });

  test('is unknown while four look-ups are under way, each with one request', async () => {
    const { answer, answered } = held();
    const { asked, lookUps } = given(answer);
    const four = ['a', 'b', 'c', 'd'].map((name) => lookUps.of(route(name, `${name}-2`)));
    expect(await lookUps.of(route('e'))).toBe('unknown');
    expect(asked).toEqual(['a', 'b', 'c', 'd'].map((name) => gatewaysAt('shop', name)));
    await answered(Promise.all(four));
    expect(await lookUps.of(route('a'))).toMatchObject({ gateways: [{ name: 'a' }] });
  });

  test('is unknown after fifty requests in one second, and for a route of more Gateways than it may have', async () => {
    const { asked, clock, lines, lookUps } = given();
    const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `g-${from + i}`);
    expect(await lookUps.of(route(...names(0, 33)))).toBe('unknown');
    expect(asked).toEqual([]);
    expect(await lookUps.of(route(...names(0, 32)))).not.toBe('unknown');
    expect(await lookUps.of(route(...names(100, 32)))).toBe('unknown');
    expect(asked).toHaveLength(50);
    expect(lines).toEqual([expect.stringContaining('at most 50 times a second')]);
    clock.nowMs = 1_000;
    expect(await lookUps.of(route(...names(200, 32)))).not.toBe('unknown');
  });

  test('is nobody for a class whose name would be another selector', async () => {
    const { asked, lookUps } = given();
    expect(await lookUps.of({ classes: ['x,metadata.namespace=bank'], gateways: [] })).toEqual({
      gateways: [],
      classes: [],
    });
    expect(asked).toEqual([]);
  });

  test('is told as an error where the answer is not what an API server gives, and the place is free again', async () => {
    const { lookUps } = given(() => ({ items: [{}] }));
    for (let i = 0; i < 5; i += 1) await expect(lookUps.of(route(`a-${i}`))).rejects.toThrow(TypeError);
  });
});
