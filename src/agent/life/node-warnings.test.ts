import { EventEmitter, setMaxListeners } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { takeNodeWarnings } from './node-warnings.ts';

const usual = EventEmitter.defaultMaxListeners;

afterAll(() => setMaxListeners(usual));

describe('takeNodeWarnings', () => {
  test('passes each warning on once, also those from before the listener, and Node prints none itself', () => {
    const source = new EventEmitter();
    const raw: unknown[] = [];
    source.on('warning', (warning) => raw.push(warning));
    const warnings = takeNodeWarnings(source);
    source.emit('warning', Object.assign(new Error('first'), { name: 'DeprecationWarning' }));
    const told: string[] = [];
    warnings.onWarning((text) => told.push(text));
    source.emit('warning', new Error('second'));
    expect([told, raw]).toEqual([['DeprecationWarning: first', 'Error: second'], []]);
  });

  test('lets any number of things wait on one signal', () => {
    takeNodeWarnings(new EventEmitter());
    expect(EventEmitter.defaultMaxListeners).toBe(0);
  });
});
