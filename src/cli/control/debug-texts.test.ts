import { describe, expect, test } from 'vitest';
import type { StatusAnswer, WhyAnswer } from '../../control/debug/answers.ts';
import { statusText, whyText } from './debug-texts.ts';

const answer: StatusAnswer = {
  ...{ format: 1, version: '1', startedAt: 0, notReady: undefined, known: 3, connected: 2, inStep: 2 },
  ...{ faulty: 0, frozen: 0, waiting: 0, refusedInputs: undefined, registry: [], election: undefined },
};

const election = { identity: 'a_1', leads: false, leader: 'b_2', transitions: 0, problem: undefined };

const row = {
  object: 'VirtualService/foo/far',
  file: 'far.yaml',
  line: 4,
  destinations: ['a.test', 'b.test port 81'],
};

const at = (socket: string, changes: Partial<StatusAnswer>) => ({ socket, answer: { ...answer, ...changes } });

describe('statusText', () => {
  test('says nothing of a leader where the objects are files', () => {
    expect(statusText([at('a', {}), at('b', {})])).not.toContain('leader');
  });

  test('says who leads, and adds up several replicas', () => {
    const text = statusText([
      at('a', { election, connected: 1 }),
      at('b', { election: { ...election, identity: 'b_2', leads: true } }),
    ]);
    expect(text).toMatch(/^meshd 1 at a, .*\n.*\n {2}leader {3}b_2\n/);
    expect(text).toMatch(/\nmeshd 1 at b, .*\n.*\n {2}leader {3}this replica\n/);
    expect(text).toMatch(/\n2 replicas\n {2}proxies {2}3 known, 3 connected, .*\n {2}leader {3}b\n$/);
  });

  test('lists destinations that no service has, of some VirtualServices, and says how many others there are', () => {
    expect(statusText([at('a', { missing: { count: 12, objects: 9, routes: [row] } })])).toMatch(
      / {2}inputs {3}valid\n {2}routes {3}12 destinations .* get 503:\n {4}VirtualService\/foo\/far \(far\.yaml:4\): a\.test, b\.test port 81\n {4}and those of 8 more VirtualServices\n$/,
    );
    expect(statusText([at('a', { missing: { count: 0, objects: 0, routes: [] } })])).not.toContain('routes');
  });

  test('names the reason why no replica can be elected', () => {
    const problem = 'PUT /apis/…: the API server answered 403';
    expect(statusText([at('a', { election: { ...election, leader: undefined, problem } })])).toContain(
      `  leader   nobody; ${problem}\n`,
    );
  });
});

describe('whyText', () => {
  const why: WhyAnswer = { format: 1, proxy: 'foo/web', state: 'current', faults: [], resources: [] };

  test('lists the first destinations that no service has, and says that there are more', () => {
    expect(whyText({ ...why, missing: { count: 3, objects: 2, routes: [row] } })).toMatch(
      /^foo\/web has .*\n {2}routes {3}3 destinations .* get 503:\n {4}VirtualService\/foo\/far .* port 81\n {4}and those of 1 more VirtualService\n$/,
    );
  });
});
