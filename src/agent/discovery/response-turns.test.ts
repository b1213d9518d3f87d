import { beforeEach, describe, expect, test } from 'vitest';
import { contentVersion } from '../../xds/resource.ts';
import { AgentError } from '../agent-error.ts';
import { createLog } from '../log/log.ts';
import { HeldConfiguration } from './configuration.ts';
import { ResponseTurns } from './response-turns.ts';

const resource = (name: string) => ({ name, version: contentVersion(name), body: Buffer.from(name) });

describe('ResponseTurns', () => {
  let held: HeldConfiguration;
  let turns: ResponseTurns;
  let told: string[];
  /** Ends the look at the ports that is going on, with what is wrong. */
  let found: (faults: ReadonlyMap<string, string> | Error) => void;

  beforeEach(() => {
    told = [];
    held = new HeldConfiguration({ lacks: () => undefined, drops: () => undefined, settled: () => undefined });
    const faultsOf = () =>
      new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
        found = (faults) => (faults instanceof Error ? reject(faults) : resolve(faults));
      });
    const log = createLog({ isJson: false, level: 'error', write: (line) => void told.push(line) });
    turns = new ResponseTurns({ held, guard: { faultsOf }, log });
  });

  const take = (list: 'listeners' | 'routes', ...names: readonly string[]): void =>
    turns.take(list, { resources: names.map(resource), removed: [] }, (refusal) => told.push(refusal ?? 'taken'));
  const served = (): string[] =>
    [held.stores.listeners, held.stores.routes].flatMap(({ view }) => view.all).map(({ name }) => name);
  const started = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('takes routes after the listeners that came before them, whose ports are looked at', async () => {
    take('listeners', 'one', 'two');
    take('routes', 'table');
    turns.run(() => void told.push('synced'));
    await started();
    expect([served(), told]).toEqual([[], []]);
    found(new Map([['two', 'port 80 is in use']]));
    await turns.close();
    expect(served()).toEqual(['one', 'table']);
    const refusal = 'two: port 80 is in use';
    expect(told).toEqual([
      expect.stringContaining(`the port of a listener is in use\tlist=listeners reason=${refusal}`),
      refusal,
      'taken',
      'synced',
    ]);
  });

  test('serves nothing of what came before the configuration was given up', async () => {
    take('listeners', 'one');
    take('routes', 'table');
    await started();
    turns.clear();
    found(new Map());
    take('routes', 'next');
    await turns.close();
    expect([served(), told]).toEqual([['next'], ['taken']]);
  });

  test('fails where the first listeners cannot be', async () => {
    take('listeners', 'one');
    await started();
    found(new AgentError('listener-bind-failed', 'port 80 is in use'));
    await expect(turns.failed).rejects.toThrow('port 80 is in use');
    expect(served()).toEqual([]);
  });

  test('refuses listeners whose ports cannot be looked at, and goes on', async () => {
    take('listeners', 'one');
    await started();
    found(new Error('EMFILE'));
    take('routes', 'table');
    await turns.close();
    expect(served()).toEqual(['table']);
    const logged = expect.stringContaining('the ports of listeners cannot be looked at\tlist=listeners reason=');
    expect(told).toEqual([logged, 'Error: EMFILE', 'taken']);
  });
});
