import { describe, expect, test } from 'vitest';
import { bothObservers, type DiscoveryObserver } from './observer.ts';

describe('bothObservers', () => {
  test('pass each event to both observers, in their order', () => {
    const heard: string[] = [];
    const hears =
      (who: string, what: string) =>
      (...told: readonly unknown[]): void =>
        void heard.push([who, what, ...told.map((it) => JSON.stringify(it))].join(' '));
    const observer = (who: string): Required<DiscoveryObserver> => ({
      opened: hears(who, 'opened'),
      closed: hears(who, 'closed'),
      pushed: hears(who, 'pushed'),
      pushFailed: hears(who, 'pushFailed'),
      wentStale: hears(who, 'wentStale'),
      noLongerStale: hears(who, 'noLongerStale'),
      refused: hears(who, 'refused'),
      isolated: hears(who, 'isolated'),
      waiting: hears(who, 'waiting'),
      failed: hears(who, 'failed'),
    });
    const both = bothObservers(observer('a'), observer('b')) as Required<DiscoveryObserver>;
    both.opened();
    both.pushed({ typeUrl: 't', version: '1' });
    both.pushFailed();
    both.wentStale();
    both.noLongerStale();
    both.refused({ typeUrl: 't', nodeId: 'n', names: [], version: '1', message: 'no' });
    both.isolated({ typeUrl: 't', culprits: [] });
    both.waiting('default');
    both.failed(new Error('x'), { peer: '127.0.0.1:9', nodeId: 'n' });
    both.closed();
    const events = [
      ...['opened', 'pushed {"typeUrl":"t","version":"1"}', 'pushFailed', 'wentStale', 'noLongerStale'],
      ...[
        'refused {"typeUrl":"t","nodeId":"n","names":[],"version":"1","message":"no"}',
        'isolated {"typeUrl":"t","culprits":[]}',
        'waiting "default"',
        'failed {} {"peer":"127.0.0.1:9","nodeId":"n"}',
        'closed',
      ],
    ];
    expect(heard).toEqual(events.flatMap((event) => [`a ${event}`, `b ${event}`]));
  });

  test('leave out what one of them does not want to hear', () => {
    let heard = 0;
    const both = bothObservers({}, { opened: () => heard++ });
    both.opened?.();
    both.closed?.();
    expect(heard).toBe(1);
  });
});
