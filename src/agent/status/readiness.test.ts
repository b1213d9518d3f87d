import { describe, expect, test } from 'vitest';
import type { AdminClient, AdminResponse } from '../../envoy/admin.ts';
import type { AgentState } from '../life/state.ts';
import { Readiness } from './readiness.ts';

/** What Envoy shows once everything is there; each row takes something away. */
const complete = {
  'cluster_manager.cds.update_success': 1,
  'cluster_manager.cds.update_rejected': 0,
  'cluster_manager.warming_clusters': 0,
  'listener_manager.lds.update_success': 1,
  'listener_manager.lds.update_rejected': 0,
  'listener_manager.total_listeners_warming': 0,
  'listener_manager.workers_started': 1,
  'http.inbound_10.0.0.1_80.rds.app_80.update_success': 1,
  'http.inbound_10.0.0.1_80.rds.app_80.update_rejected': 0,
};

async function readiness(state: AgentState, ask: (path: string) => Promise<AdminResponse>): Promise<string> {
  const admin: AdminClient = { get: ask, post: ask };
  const answer = await new Readiness({ admin: () => admin, state: () => state }).check();
  return answer.isReady ? 'ready' : answer.reason;
}

const route = 'http.inbound_10.0.0.1_80.rds.app_80';

describe('Readiness', () => {
  test.each<[string, Partial<typeof complete> | Record<string, number>, string]>([
    ['no cluster', { 'cluster_manager.cds.update_success': 0 }, 'clusters: Envoy has none yet'],
    ['clusters but no listener', { 'listener_manager.lds.update_success': 0 }, 'listeners: Envoy has none yet'],
    ['a refused listener', { 'listener_manager.lds.update_rejected': 2 }, 'listeners: Envoy refused 2 updates'],
    ['a missing route', { [`${route}.update_success`]: 0 }, 'route app_80: Envoy has none yet'],
    ['a refused route', { [`${route}.update_rejected`]: 1 }, 'route app_80: Envoy refused 1 update'],
    [
      'several of them',
      { 'cluster_manager.cds.update_rejected': 1, 'listener_manager.lds.update_success': 0 },
      'clusters: Envoy refused 1 update; listeners: Envoy has none yet',
    ],
    ['a warming listener', { 'listener_manager.total_listeners_warming': 1 }, '1 clusters or listeners are warming'],
    ['no worker', { 'listener_manager.workers_started': 0 }, 'the worker threads of Envoy have not started'],
    ['an older version', {}, 'not every version is in force yet'],
  ])('says that Envoy has %s', async (_name, missing, reason) => {
    const lines = Object.entries({ ...complete, ...missing }).map(([name, value]) => `${name}: ${value}\n`);
    const answer = await readiness('starting', () => Promise.resolve({ status: 200, body: lines.join('') }));
    expect(answer).toBe(`the agent is starting: ${reason}`);
  });

  test('names three routes and counts the others', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `http.x.rds.${name}.update_success: 0\n`);
    const good = 'cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_success: 1\n';
    const answer = await readiness('starting', () => Promise.resolve({ status: 200, body: good + names.join('') }));
    expect(answer).toMatch(/: route a: .*; route c: Envoy has none yet; and 2 more routes$/);
  });

  test.each<[AgentState, number, string, string]>([
    ['running', 200, 'LIVE\n', 'ready'],
    ['running', 503, 'INITIALIZING\n', 'Envoy is INITIALIZING'],
    ['running', 503, 'DRAINING\n', 'Envoy is DRAINING'],
    ['draining', 200, 'LIVE\n', 'the agent is draining'],
    ['backing-off', 200, 'LIVE\n', 'the agent is backing-off'],
    ['configuring', 200, 'LIVE\n', 'the agent is configuring'],
  ])('in the state %s, with Envoy at %i %j, gives %j', async (state, status, body, expected) => {
    expect(await readiness(state, () => Promise.resolve({ status, body }))).toBe(expected);
  });

  test('is not ready when Envoy no longer answers, although it was', async () => {
    let isAlive = true;
    const gone = new Error('connect ECONNREFUSED');
    const get = () => (isAlive ? Promise.resolve({ status: 200, body: 'LIVE\n' }) : Promise.reject(gone));
    const checked = new Readiness({ admin: () => ({ get, post: get }), state: () => 'running' });
    expect(await checked.check()).toEqual({ isReady: true });
    isAlive = false;
    expect(await checked.check()).toEqual({ isReady: false, reason: 'Envoy does not answer: connect ECONNREFUSED' });
  });

  test('is not ready when a stop began while Envoy was asked', async () => {
    let state: AgentState = 'running';
    const get = async (): Promise<AdminResponse> => {
      state = 'draining';
      return { status: 200, body: 'LIVE\n' };
    };
    const checked = new Readiness({ admin: () => ({ get, post: get }), state: () => state });
    expect(await checked.check()).toEqual({ isReady: false, reason: 'the agent is draining' });
  });

  test.each([
    ['every chain needs it', true, "expired, and every filter chain for callers needs the workload's certificate"],
    ['something is served without it', false, 'ready'],
  ])('judges a LIVE Envoy whose identity has a problem by what callers need: %s', async (_name, needs, expected) => {
    const get = () => Promise.resolve({ status: 200, body: 'LIVE\n' });
    const answer = await new Readiness({
      admin: () => ({ get, post: get }),
      state: () => 'running',
      identityProblem: () => 'expired',
      needsIdentity: () => needs,
    }).check();
    expect(answer.isReady ? 'ready' : answer.reason).toBe(expected);
  });

  test.each([
    ['and one is', () => Promise.resolve('a worker is blocked'), 'a worker is blocked'],
    ['and none is', () => Promise.resolve(undefined), 'ready'],
    ['and nobody can tell', () => Promise.reject(new Error('too slow')), 'ready'],
  ])('asks a LIVE Envoy whether its worker threads are blocked, %s', async (_name, blockedWorkers, expected) => {
    const get = () => Promise.resolve({ status: 200, body: 'LIVE\n' });
    const checked = new Readiness({ admin: () => ({ get, post: get }), state: () => 'running', blockedWorkers });
    const answer = await checked.check();
    expect(answer.isReady ? 'ready' : answer.reason).toBe(expected);
  });

  test('asks Envoy once for all who ask at the same time', async () => {
    let asked = 0;
    const get = async (): Promise<AdminResponse> => {
      asked++;
      return { status: 200, body: 'LIVE\n' };
    };
    const checked = new Readiness({ admin: () => ({ get, post: get }), state: () => 'running' });
    await Promise.all(Array.from({ length: 100 }, () => checked.check()));
    expect(asked).toBe(1);
    await checked.check();
    expect(asked).toBe(2);
  });
});
