import { beforeEach, describe, expect, test } from 'vitest';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { deltaForm } from '../../xds/form.ts';
import type { DeltaRequest, DeltaResponse } from '../../xds/message.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ScopedStreams } from '../../xds/scoped-streams.ts';
import { HeldConfiguration } from './configuration.ts';

const { typeUrl } = configurationTypes.listeners;
const resource = (name: string, text = name) => ({ name, version: contentVersion(text), body: Buffer.from(text) });
const response = (resources: DeltaResponse['resources'], removed: readonly string[] = []): DeltaResponse => ({
  ...{ typeUrl, systemVersion: '1', nonce: '1' },
  ...{ resources, removed },
});

describe('HeldConfiguration', () => {
  let held: HeldConfiguration;
  let answers: (string | undefined)[];
  let told: string[];

  beforeEach(() => {
    answers = [];
    told = [];
    held = new HeldConfiguration({
      lacks: (list, names) => told.push(`lacks ${list} ${names}`),
      drops: (list, names) => told.push(`drops ${list} ${names}`),
      settled: () => told.push('settled'),
    });
  });

  const take = (...resources: DeltaResponse['resources']) =>
    held.take('listeners', response(resources), (refusal) => answers.push(refusal));

  /** An Envoy that refuses versions with "bad" in their text. */
  const envoy = () => {
    const scope = held.scope();
    const streams = new ScopedStreams(deltaForm, scope, {});
    const got = new Map<string, string>();
    const ask = (fields: Partial<DeltaRequest>): DeltaResponse | undefined =>
      streams.receive({
        ...{ nodeId: '', typeUrl, subscribe: [], unsubscribe: [], initialVersions: {}, responseNonce: '' },
        ...{ errorDetail: undefined, ...fields },
      });
    const run = (first?: DeltaResponse): void => {
      let next = first ?? streams.next().response;
      while (next !== undefined) {
        const texts = next.resources.map(({ name, body }) => [name, Buffer.from(body).toString()] as const);
        const isBad = texts.some(([, text]) => text.includes('bad'));
        if (!isBad) for (const [name, text] of texts) got.set(name, text);
        if (!isBad) for (const name of next.removed) got.delete(name);
        const errorDetail = isBad ? { code: 13, message: 'no such filter' } : undefined;
        next = ask({ responseNonce: next.nonce, errorDetail }) ?? streams.next().response;
      }
      if (!streams.isUnanswered) scope.settled?.();
    };
    run(ask({ subscribe: ['*'] }));
    return { got, run, ask, close: () => scope.closed?.() };
  };

  test('acknowledges a response once Envoy has accepted it', () => {
    const { run, got } = envoy();
    take(resource('in'));
    expect(answers).toEqual([]);
    run();
    expect(answers).toEqual([undefined]);
    expect([...got.keys()]).toEqual(['in']);
    expect(told).toContain('settled');
  });

  test("passes on Envoy's reason for refusing a resource, keeps its last valid version, and serves the others", () => {
    const first = envoy();
    take(resource('in', 'v1'));
    first.run();
    take(resource('in', 'bad'), resource('out', 'v2'));
    first.run();
    expect(answers).toEqual([undefined, 'in: no such filter']);
    expect(Object.fromEntries(first.got)).toEqual({ in: 'v1', out: 'v2' });
    expect(held.good().listeners.map(({ body }) => Buffer.from(body).toString())).toEqual(['v1', 'v2']);
    // The search of the control plane hears the same again, without Envoy.
    take(resource('in', 'bad'));
    expect(answers.at(-1)).toBe('in: no such filter');
    take(resource('out', 'v2'));
    expect(answers.at(-1)).toBeUndefined();
    // An Envoy that starts anew gets the last valid one at once.
    first.close();
    expect(Object.fromEntries(envoy().got)).toEqual({ in: 'v1', out: 'v2' });
    take(resource('in', 'v3'));
    expect(answers).toHaveLength(4);
  });

  test('acknowledges at once while no Envoy is connected, and stores nothing that no Envoy has accepted', () => {
    take(resource('in'));
    expect(answers).toEqual([undefined]);
    expect(held.good().listeners).toEqual([]);
    envoy();
    expect(held.good().listeners.map(({ name }) => name)).toEqual(['in']);
  });

  test('subscribes to the names that Envoy requests, and unsubscribes from those that it no longer requests', () => {
    const { ask } = envoy();
    const routes = configurationTypes.routes.typeUrl;
    ask({ typeUrl: routes, subscribe: ['80'] });
    ask({ typeUrl: routes, unsubscribe: ['80'] });
    expect(told).toEqual(expect.arrayContaining(['lacks routes 80', 'drops routes 80']));
  });
});
